#include "io/utf8.h"

#include <string.h>

/* Number of bytes a character with this first byte has, and the bits the byte itself carries; 0 for
 * a byte that cannot come first. */
static size_t lead_decode(unsigned char byte, uint32_t *bits) {
    if (byte < 0x80) {
        *bits = byte;
        return 1;
    }
    if (byte >= 0xC2 && byte <= 0xDF) { /* C0 and C1 could only start overlong forms */
        *bits = byte & 0x1Fu;
        return 2;
    }
    if (byte >= 0xE0 && byte <= 0xEF) {
        *bits = byte & 0x0Fu;
        return 3;
    }
    if (byte >= 0xF0 && byte <= 0xF4) {
        *bits = byte & 0x07u;
        return 4;
    }
    return 0;
}

/* Like utf8_decode, but tells a bad byte (false) from a U+FFFD that is really there. */
static bool decode(const char *bytes, size_t size, uint32_t *code, size_t *length) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = 0;
    size_t need = lead_decode((unsigned char)bytes[0], &value);
    bool ok = need > 0 && need <= size;
    for (size_t i = 1; ok && i < need; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        ok = (byte & 0xC0) == 0x80;
        value = value << 6 | (byte & 0x3Fu);
    }
    ok = ok && value >= smallest[need] && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
    *code = ok ? value : UTF8_REPLACEMENT;
    *length = ok ? need : 1;
    return ok;
}

size_t utf8_decode(const char *bytes, size_t size, uint32_t *code) {
    size_t length = 0;
    *code = 0;
    if (size > 0) {
        decode(bytes, size, code, &length);
    }
    return length;
}

uint32_t utf8_next(const char **text) {
    if (!**text) {
        return 0;
    }
    uint32_t code;
    size_t length;
    /* The NUL is no continuation byte, so a character cut off at the end stops there: strnlen keeps
     * the reader from looking behind it. */
    decode(*text, strnlen(*text, 4), &code, &length);
    *text += length;
    return code;
}

size_t utf8_encode(uint32_t code, char out[UTF8_MAX]) {
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        code = UTF8_REPLACEMENT;
    }
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size; i > 1; i--) {
        out[i - 1] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(lead[size] | code);
    out[size] = '\0';
    return size;
}

bool utf8_valid(const char *bytes, size_t size, size_t *bad_at) {
    for (size_t at = 0; at < size;) {
        uint32_t code;
        size_t length;
        if (!decode(bytes + at, size - at, &code, &length)) {
            if (bad_at) {
                *bad_at = at;
            }
            return false;
        }
        at += length;
    }
    return true;
}

size_t utf8_length(const char *text) {
    size_t count = 0;
    while (utf8_next(&text)) {
        count++;
    }
    return count;
}

size_t utf8_prefix(const char *text, size_t count) {
    const char *end = text;
    while (count > 0 && utf8_next(&end)) {
        count--;
    }
    return (size_t)(end - text);
}

size_t utf8_truncate(const char *text, size_t limit) {
    const char *end = text, *next = text;
    while (utf8_next(&next) && (size_t)(next - text) <= limit) {
        end = next;
    }
    return (size_t)(end - text);
}

typedef struct Range {
    uint32_t first, last;
} Range;

static bool range_has(const Range *ranges, size_t count, uint32_t code) {
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

int utf8_code_width(uint32_t code) {
    static const Range zero[] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF},  {0x1DC0, 0x1DFF},
                                 {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x2064},
                                 {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},  {0xFE20, 0xFE2F},
                                 {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};
    static const Range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                 {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                 {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                 {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
                                 {0x20000, 0x3FFFD}};
    if (code < 0x0300) { /* nearly all text */
        return 1;
    }
    if (range_has(zero, COUNT_OF(zero), code)) {
        return 0;
    }
    return range_has(wide, COUNT_OF(wide), code) ? 2 : 1;
}

int utf8_width(const char *text) {
    int width = 0;
    for (uint32_t code = utf8_next(&text); code; code = utf8_next(&text)) {
        width += utf8_code_width(code);
    }
    return width;
}

int utf8_shorten(char *out, size_t size, const char *text, int columns, bool ascii) {
    const char *ellipsis = ascii ? "~" : "\xE2\x80\xA6";
    if (size == 0) {
        return 0;
    }
    if (utf8_width(text) <= columns && strlen(text) < size) {
        memcpy(out, text, strlen(text) + 1);
        return utf8_width(text);
    }
    size_t tail = strlen(ellipsis), used = 0;
    int width = 0;
    if (columns < 1 || size < tail + 1) {
        out[0] = '\0';
        return 0;
    }
    const char *start = text;
    for (const char *next = text;; text = next) {
        int wide = utf8_code_width(utf8_next(&next));
        size_t bytes = (size_t)(next - start);
        if (next == text || width + wide > columns - 1 || bytes + tail + 1 > size) {
            break;
        }
        width += wide;
        used = bytes;
    }
    memcpy(out, start, used);
    memcpy(out + used, ellipsis, tail + 1);
    return width + 1;
}
