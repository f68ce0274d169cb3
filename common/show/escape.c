#include "show/escape.h"

#include <limits.h>
#include <string.h>

#include "io/utf8.h"

/* Characters nobody should meet: controls, and those that turn what follows them around. */
static bool is_hidden(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
           code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

static bool is_space(uint32_t code) {
    return code == '\t' || code == '\n' || code == '\r';
}

static void code_put(FILE *out, uint32_t code) {
    char bytes[UTF8_MAX];
    utf8_encode(is_hidden(code) ? UTF8_REPLACEMENT : code, bytes);
    fputs(bytes, out);
}

void html_put_cut(FILE *out, const char *text, int most) {
    for (int written = 0; text != NULL && *text != '\0'; written++) {
        if (written == most) {
            fputs("\xE2\x80\xA6", out);
            return;
        }
        uint32_t code = utf8_next(&text);
        switch (code) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            code_put(out, is_space(code) ? ' ' : code);
        }
    }
}

void html_put(FILE *out, const char *text) {
    html_put_cut(out, text, INT_MAX);
}

void url_put(FILE *out, const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/";
    for (; path != NULL && *path != '\0'; path++) {
        if (strchr(plain, *path) != NULL) {
            putc(*path, out);
        } else {
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*path);
        }
    }
}

void json_put(FILE *out, const char *text) {
    putc('"', out);
    while (text != NULL && *text != '\0') {
        uint32_t code = utf8_next(&text);
        if (is_space(code)) {
            fputs(code == '\t' ? "\\t" : code == '\n' ? "\\n" : "\\r", out);
        } else if (code == '"' || code == '\\') {
            fprintf(out, "\\%c", (int)code);
        } else if (code == '<' || code == '>' || code == '&' || code == 0x2028 || code == 0x2029) {
            fprintf(out, "\\u%04x", (unsigned)code);
        } else {
            code_put(out, code);
        }
    }
    putc('"', out);
}
