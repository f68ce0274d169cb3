#include "show/ascii.h"

#include <stddef.h>

/* U+00A0 .. U+00FF, then U+0100 .. U+017F: Latin letters lose their accents. */
static const char *const latin_1[96] = {
    " ",   "!",   "c",   "GBP", "?", "JPY", "|",  "S",  "\"", "(c)", "a",  "<<", "!", "-",
    "(R)", "-",   "deg", "+-",  "2", "3",   "'",  "u",  "P",  ".",   ",",  "1",  "o", ">>",
    "1/4", "1/2", "3/4", "?",   "A", "A",   "A",  "A",  "A",  "A",   "AE", "C",  "E", "E",
    "E",   "E",   "I",   "I",   "I", "I",   "D",  "N",  "O",  "O",   "O",  "O",  "O", "x",
    "O",   "U",   "U",   "U",   "U", "Y",   "Th", "ss", "a",  "a",   "a",  "a",  "a", "a",
    "ae",  "c",   "e",   "e",   "e", "e",   "i",  "i",  "i",  "i",   "d",  "n",  "o", "o",
    "o",   "o",   "o",   "/",   "o", "u",   "u",  "u",  "u",  "y",   "th", "y"};

static const char *const latin_a[128] = {
    "A", "a", "A",  "a",  "A", "a", "C", "c", "C", "c",  "C", "c", "C", "c", "D", "d",
    "D", "d", "E",  "e",  "E", "e", "E", "e", "E", "e",  "E", "e", "G", "g", "G", "g",
    "G", "g", "G",  "g",  "H", "h", "H", "h", "I", "i",  "I", "i", "I", "i", "I", "i",
    "I", "i", "IJ", "ij", "J", "j", "K", "k", "k", "L",  "l", "L", "l", "L", "l", "L",
    "l", "L", "l",  "N",  "n", "N", "n", "N", "n", "'n", "N", "n", "O", "o", "O", "o",
    "O", "o", "OE", "oe", "R", "r", "R", "r", "R", "r",  "S", "s", "S", "s", "S", "s",
    "S", "s", "T",  "t",  "T", "t", "T", "t", "U", "u",  "U", "u", "U", "u", "U", "u",
    "U", "u", "U",  "u",  "W", "w", "Y", "y", "Y", "Z",  "z", "Z", "z", "Z", "z", "s"};

/* What lessons write: quotes and dashes, arrows, a few mathematical signs, Greek in formulas. */
static const struct {
    uint32_t code;
    const char *text;
} others[] = {
    {0x2010, "-"},   {0x2011, "-"},     {0x2012, "-"},      {0x2013, "-"},     {0x2014, "-"},
    {0x2018, "'"},   {0x2019, "'"},     {0x201A, "'"},      {0x201C, "\""},    {0x201D, "\""},
    {0x201E, "\""},  {0x2022, "*"},     {0x2026, "..."},    {0x202F, " "},     {0x2009, " "},
    {0x2039, "<"},   {0x203A, ">"},     {0x20AC, "EUR"},    {0x2190, "<-"},    {0x2191, "^"},
    {0x2192, "->"},  {0x2193, "v"},     {0x21D2, "=>"},     {0x2211, "sum"},   {0x2212, "-"},
    {0x2215, "/"},   {0x2217, "*"},     {0x2218, "o"},      {0x221A, "sqrt"},  {0x221E, "inf"},
    {0x2248, "~"},   {0x2260, "!="},    {0x2264, "<="},     {0x2265, ">="},    {0x2297, "x"},
    {0x2299, "."},   {0x22C5, "."},     {0x2502, "|"},      {0x2500, "-"},     {0x2588, "#"},
    {0x2591, "-"},   {0x03B1, "alpha"}, {0x03B2, "beta"},   {0x03B3, "gamma"}, {0x03B4, "delta"},
    {0x03B5, "eps"}, {0x03B8, "theta"}, {0x03BB, "lambda"}, {0x03BC, "mu"},    {0x03C0, "pi"},
    {0x03C1, "rho"}, {0x03C3, "sigma"}, {0x03C4, "tau"},    {0x0394, "Delta"}, {0x03A3, "Sigma"},
    {0x1E9E, "SS"},
};

const char *ascii_of(uint32_t code, char own[2]) {
    if (code < 0x80) {
        own[0] = (char)code;
        own[1] = '\0';
        return own;
    }
    if (code >= 0xA0 && code <= 0xFF) {
        return latin_1[code - 0xA0];
    }
    if (code >= 0x100 && code <= 0x17F) {
        return latin_a[code - 0x100];
    }
    if (code >= 0x300 && code <= 0x36F) { /* combining accents: the letter stands before them */
        return "";
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].code == code) {
            return others[i].text;
        }
    }
    return "?";
}
