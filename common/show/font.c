#include "show/font.h"

#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"

enum { SPACE_WIDTH = 3, ACCENT_ROWS = 3 };

typedef struct Accent {
    char name;
    uint16_t combining; /* its code point when it follows the letter */
    const char *rows[ACCENT_ROWS];
} Accent;

static const Accent accents[] = {
    {'`', 0x0300, {"#. ", " # "}},
    {'\'', 0x0301, {" .#", " # "}},
    {'^', 0x0302, {" # ", "# #"}},
    {'~', 0x0303, {" # #", "# # "}},
    {'-', 0x0304, {"####"}},
    {':', 0x0308, {"# #"}},
    {'o', 0x030A, {" # ", "# #", " # "}},
    {'v', 0x030C, {"# #", " # "}},
    {',', 0x0327, {" #", "# "}},
};

static const Accent *accent_find(char name, uint32_t combining) {
    for (size_t i = 0; i < sizeof accents / sizeof accents[0]; i++) {
        if (name ? accents[i].name == name : accents[i].combining == combining) {
            return &accents[i];
        }
    }
    return NULL;
}

/* Puts the accent over the middle of the letter, one row free between them, or below the base line
 * when it is a cedilla. */
static void accent_set(Glyph *glyph, const Accent *accent) {
    int rows = 0, wide = (int)strlen(accent->rows[0]), top = 0;
    while (rows < ACCENT_ROWS && accent->rows[rows]) {
        rows++;
    }
    while (top < FONT_BASELINE && !glyph->rows[top]) {
        top++;
    }
    int y = accent->name == ',' ? FONT_BASELINE + 1 : top - 1 - rows;
    int left = (glyph->width - wide + 1) / 2;
    y = y < 0 ? 0 : y;
    for (; left < 0; left++) { /* a letter narrower than its accent is moved */
        for (int i = 0; i < FONT_HEIGHT; i++) {
            glyph->rows[i] = (uint8_t)(glyph->rows[i] << 1);
        }
        glyph->width++;
    }
    for (int i = 0; i < rows; i++) {
        for (int x = 0; x < wide; x++) {
            if (accent->rows[i][x] == '#') {
                glyph->rows[y + i] |= (uint8_t)(1u << (left + x));
            }
        }
    }
    glyph->width = left + wide > glyph->width ? left + wide : glyph->width;
}

/* The letter and accent of a Latin-1 capital or small letter, or of U+0178; false when it has none.
 */
static bool letter_split(uint32_t code, char *letter, char *accent) {
    /*                            C0               D0               E0               F0 */
    static const char letters[] =
        "AAAAAA.CEEEEIIII.NOOOOO..UUUUY..aaaaaa.ceeeeiiii.nooooo..uuuuy.y";
    static const char marks[] = "`'^~:o.,`'^:`'^:.~`'^~:..`'^:'..`'^~:o.,`'^:`'^:.~`'^~:..`'^:'.:";
    if (code == 0x178) {
        *letter = 'Y', *accent = ':';
        return true;
    }
    if (code < 0xC0 || code > 0xFF || letters[code - 0xC0] == '.') {
        return false;
    }
    *letter = letters[code - 0xC0], *accent = marks[code - 0xC0];
    return true;
}

static void accent_on(Glyph *glyph, uint32_t letter, const Accent *accent) {
    if (letter == 'i' && accent->name != ',') {
        glyph_drawn(0x0131, glyph); /* the accent takes the place of the dot */
    }
    accent_set(glyph, accent);
}

bool font_glyph(uint32_t code, Glyph *glyph) {
    char letter, mark;
    if (code == ' ' || code == 0xA0 || code == 0x202F || code == 0x2009) {
        *glyph = (Glyph){.width = SPACE_WIDTH};
        return true;
    }
    code = code == 0xAD ? '-' : code; /* a soft hyphen that is there is meant to be seen */
    if (letter_split(code, &letter, &mark)) {
        glyph_drawn((uint32_t)letter, glyph);
        accent_on(glyph, (uint32_t)letter, accent_find(mark, 0));
        return true;
    }
    if (glyph_drawn(code, glyph)) {
        return code != UTF8_REPLACEMENT;
    }
    glyph_drawn(UTF8_REPLACEMENT, glyph);
    return false;
}

bool font_next(const char **text, Glyph *glyph) {
    uint32_t code = utf8_next(text);
    if (!code) {
        return false;
    }
    font_glyph(code, glyph);
    for (;;) {
        const char *after = *text;
        const Accent *accent = accent_find('\0', utf8_next(&after));
        if (!accent) {
            return true;
        }
        accent_on(glyph, code, accent);
        code = 0; /* a second accent goes on top of the first */
        *text = after;
    }
}

int font_width(const char *text) {
    int width = 0;
    Glyph glyph;
    while (font_next(&text, &glyph)) {
        width += glyph.width + FONT_GAP;
    }
    return width > 0 ? width - FONT_GAP : 0;
}

int font_shorten(char *out, size_t size, const char *text, int width) {
    static const char ellipsis[] = "\xE2\x80\xA6";
    int full = font_width(text);
    if (full <= width && strlen(text) < size) {
        memcpy(out, text, strlen(text) + 1);
        return full;
    }
    Glyph glyph;
    const char *next = text;
    size_t kept = 0;
    int used = 0, dots = font_width(ellipsis);
    while (font_next(&next, &glyph)) {
        used += glyph.width + FONT_GAP;
        if (used + dots > width || (size_t)(next - text) + sizeof ellipsis > size) {
            break;
        }
        kept = (size_t)(next - text);
    }
    while (kept > 0 && text[kept - 1] == ' ') {
        kept--;
    }
    memcpy(out, text, kept);
    memcpy(out + kept, ellipsis, sizeof ellipsis);
    return font_width(out);
}
