#include "io/json.h"

#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"

Json json_begin(const char *text, size_t size, Error *error) {
    return (Json){text, text, text + size, error};
}

static bool fail(const Json *json, const char *problem) {
    return error_set(json->error, "JSON, byte %zu: %s", (size_t)(json->at - json->begin) + 1,
                     problem);
}

static void skip_blanks(Json *json) {
    while (json->at < json->end && *json->at != '\0' && strchr(" \t\n\r", *json->at) != NULL) {
        json->at++;
    }
}

bool json_next(Json *json, char wanted) {
    skip_blanks(json);
    if (json->at == json->end || *json->at != wanted) {
        return false;
    }
    json->at++;
    return true;
}

bool json_expect(Json *json, char wanted) {
    if (json_next(json, wanted)) {
        return true;
    }
    char problem[64];
    snprintf(problem, sizeof problem, "'%c' is needed here%s", wanted,
             json->at == json->end ? ", and the text ends" : "");
    return fail(json, problem);
}

/* ---- strings ---- */

/* Four hexadecimal digits at `at`. */
static bool hex4(const Json *json, const char *at, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF";
        const char *found = at + i < json->end && at[i] ? strchr(digits, at[i]) : NULL;
        if (found == NULL) {
            return false;
        }
        int digit = (int)(found - digits);
        *code = *code * 16 + (uint32_t)(digit < 16 ? digit : digit - 6);
    }
    return true;
}

/* Behind "\u": one code point, of one escape or of two (a surrogate pair). */
static bool read_code(Json *json, uint32_t *code) {
    uint32_t low;
    if (!hex4(json, json->at, code)) {
        return fail(json, "four hexadecimal digits are needed here");
    }
    if (*code >= 0xDC00 && *code < 0xE000) {
        return fail(json, "the second half of a surrogate pair without its first");
    }
    if (*code >= 0xD800 && *code < 0xDC00) {
        bool pair = json->end - json->at >= 10 && json->at[4] == '\\' && json->at[5] == 'u' &&
                    hex4(json, json->at + 6, &low) && low >= 0xDC00 && low < 0xE000;
        if (!pair) {
            return fail(json, "half a surrogate pair");
        }
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
        json->at += 6;
    }
    json->at += 4;
    return *code != 0 || fail(json, "the character U+0000 cannot be part of a text here");
}

/* Behind a backslash: appends what is meant to `out`; returns its size, 0 on an error. */
static size_t read_escape(Json *json, char *out) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char letter = json->at < json->end ? *json->at : '\0';
    const char *known = letter ? strchr(letters, letter) : NULL;
    uint32_t code;
    if (known != NULL) {
        json->at++;
        *out = meant[known - letters];
        return 1;
    }
    if (letter != 'u') {
        fail(json, "no such escape");
        return 0;
    }
    json->at++;
    if (!read_code(json, &code)) {
        return 0;
    }
    char text[UTF8_MAX];
    size_t size = utf8_encode(code, text);
    memcpy(out, text, size);
    return size;
}

/* The string up to its quote; what is written is never longer than what was read. */
static bool read_string(Json *json, char *out) {
    while (json->at < json->end && *json->at != '"') {
        uint32_t code;
        size_t size = utf8_decode(json->at, (size_t)(json->end - json->at), &code);
        if (code < 0x20) {
            return fail(json, "a control character within a string");
        }
        if (size == 1 && code == UTF8_REPLACEMENT) {
            return fail(json, "not valid UTF-8");
        }
        if (*json->at == '\\') {
            json->at++;
            size_t written = read_escape(json, out);
            if (written == 0) {
                return false;
            }
            out += written;
            continue;
        }
        memcpy(out, json->at, size);
        json->at += size;
        out += size;
    }
    *out = '\0';
    return json->at < json->end || fail(json, "the string does not end");
}

char *json_string(Json *json) {
    if (!json_next(json, '"')) {
        fail(json, "a string is needed here");
        return NULL;
    }
    const char *close = json->at; /* the first quote that no backslash stands before */
    while (close < json->end && *close != '"') {
        close += *close == '\\' && close + 1 < json->end ? 2 : 1;
    }
    char *text = malloc((size_t)(close - json->at) + 1);
    if (text == NULL) {
        fail(json, "not enough memory for this string");
        return NULL;
    }
    if (!read_string(json, text)) {
        free(text);
        return NULL;
    }
    json->at++; /* the quote */
    return text;
}

/* ---- numbers and the end ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool json_whole(Json *json, uint64_t *value) {
    skip_blanks(json);
    const char *first = json->at;
    *value = 0;
    if (first == json->end || !is_digit(*first)) {
        return fail(json, "a whole number is needed here, without a sign");
    }
    for (; json->at < json->end && is_digit(*json->at); json->at++) {
        uint64_t digit = (uint64_t)(*json->at - '0');
        if (*value > ((uint64_t)INT64_MAX - digit) / 10) {
            return fail(json, "a number too large");
        }
        *value = 10 * *value + digit;
    }
    if (*first == '0' && json->at - first > 1) {
        return fail(json, "a number with a zero before it");
    }
    if (json->at < json->end && *json->at != '\0' && strchr(".eE", *json->at) != NULL) {
        return fail(json, "a whole number is needed here");
    }
    return true;
}

bool json_end(Json *json) {
    skip_blanks(json);
    return json->at == json->end || fail(json, "nothing may follow here");
}

void json_put_string(FILE *out, const char *text) {
    putc('"', out);
    uint32_t code;
    while ((code = utf8_next(&text)) != 0) {
        char bytes[UTF8_MAX];
        if (code < 0x20 || code == 0x7f) {
            fprintf(out, "\\u%04x", (unsigned)code);
        } else if (code == '"' || code == '\\') {
            fprintf(out, "\\%c", (int)code);
        } else {
            utf8_encode(code, bytes);
            fputs(bytes, out);
        }
    }
    putc('"', out);
}
