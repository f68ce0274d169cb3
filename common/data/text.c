#include "data/text.h"

#include "core/check.h"
#include "data/letters.h"
#include "io/utf8.h"

#include <stdlib.h>
#include <string.h>

uint64_t text_hash(const char *bytes, size_t size, uint64_t seed) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    }
    hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
    return hash ^ (hash >> 31);
}

/* ---- reading ---- */

static long line_of(const char *bytes, size_t at) {
    long line = 1;
    for (size_t i = 0; i < at; i++) {
        line += bytes[i] == '\n';
    }
    return line;
}

/* CR LF and CR become LF, in place. */
static void unify_line_ends(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '\r') {
            *to++ = *from;
        } else if (from[1] != '\n') {
            *to++ = '\n';
        }
    }
    *to = '\0';
}

bool text_load(const char *path, char **text, Error *error) {
    char *bytes;
    size_t size;
    size_t bad_at;
    *text = NULL;
    if (!file_read(path, TEXT_LIMIT, &bytes, &size, error)) {
        return false;
    }
    const char *nul = memchr(bytes, '\0', size);
    bool fine = false;
    if (!utf8_valid(bytes, size, &bad_at)) {
        error_set(error, "%s: line %ld is not UTF-8 (byte %zu); save the file as UTF-8", path,
                  line_of(bytes, bad_at), bad_at + 1);
    } else if (nul != NULL) {
        error_set(error, "%s: line %ld holds a NUL byte: this is no text file", path,
                  line_of(bytes, (size_t)(nul - bytes)));
    } else {
        if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
            memmove(bytes, bytes + 3, size - 3 + 1);
        }
        unify_line_ends(bytes);
        fine = bytes[0] != '\0' || error_set(error, "%s: there is no text in the file", path);
    }
    if (!fine) {
        free(bytes);
        return false;
    }
    *text = bytes;
    return true;
}

/* ---- tokenising: first the characters, then the words ---- */

/* A line as small letters, plain marks and plain spaces. */
typedef struct Codes {
    uint32_t *code;
    size_t count;
} Codes;

static Codes codes_of(const char *text) {
    Codes codes = {check_alloc((3 * strlen(text) + 1) * sizeof(uint32_t)), 0};
    uint32_t code;
    while ((code = utf8_next(&text)) != 0) {
        if (letter_is_invisible(code)) {
            continue;
        }
        if (letter_is_space(code)) {
            code = ' ';
        }
        if (code == 0x2026) { /* the ellipsis */
            codes.code[codes.count++] = '.';
            codes.code[codes.count++] = '.';
            code = '.';
        }
        code = letter_plain_mark(letter_lower(code));
        uint32_t composed = codes.count > 0 ? letter_compose(codes.code[codes.count - 1], code) : 0;
        if (composed != 0) {
            codes.code[codes.count - 1] = composed;
        } else {
            codes.code[codes.count++] = code;
        }
    }
    return codes;
}

/* Do codes begin .. end - 1 spell one of the words in the list (ASCII, separated by spaces)? */
static bool spells_one_of(const uint32_t *code, size_t begin, size_t end, const char *list) {
    while (*list != '\0') {
        size_t size = strcspn(list, " ");
        size_t i = 0;
        while (i < size && begin + i < end && code[begin + i] == (unsigned char)list[i]) {
            i++;
        }
        if (i == size && begin + size == end) {
            return true;
        }
        list += size + strspn(list + size, " ");
    }
    return false;
}

static bool is_elision(const uint32_t *code, size_t begin, size_t end) {
    return spells_one_of(code, begin, end, "l d j c n s t m qu jusqu lorsqu puisqu quoiqu");
}

static bool is_ending(const uint32_t *code, size_t begin, size_t end) {
    return spells_one_of(code, begin, end, "s m re ve ll d");
}

/* Where tokens go: bytes with a space before each but the first. */
typedef struct Writer {
    char *bytes;
    size_t size;
} Writer;

static void write_token(Writer *out, const uint32_t *code, size_t begin, size_t end) {
    if (out->size > 0) {
        out->bytes[out->size++] = ' ';
    }
    for (size_t i = begin; i < end; i++) {
        out->size += utf8_encode(code[i], out->bytes + out->size);
    }
}

/* A word, cut at its apostrophes: elisions from the front (l'homme, jusqu'à), then at most one
 * English ending from the back (it's, don't). */
static void write_word(Writer *out, const uint32_t *code, size_t begin, size_t end) {
    size_t cut = end; /* where the ending begins */
    for (size_t i = begin + 1; i < end && cut == end; i++) {
        if (spells_one_of(code, i, end, "n't") ||
            (code[i] == '\'' && is_ending(code, i + 1, end) && !is_elision(code, begin, i))) {
            cut = i;
        }
    }
    for (size_t i = begin + 1; i + 1 < cut; i++) {
        if (code[i] == '\'' && is_elision(code, begin, i) &&
            !spells_one_of(code, begin, end, "n't")) {
            write_token(out, code, begin, i + 1);
            begin = i + 1;
        }
    }
    write_token(out, code, begin, cut);
    if (cut < end) {
        write_token(out, code, cut, end);
    }
}

/* May the mark at i stand inside a word? The neighbours on both sides exist. */
static bool is_joint(const uint32_t *code, size_t i) {
    switch (code[i]) {
    case '-':
    case '\'':
        return letter_is_word(code[i - 1]) && letter_is_word(code[i + 1]);
    case '.':
    case ',':
    case ':':
        return letter_is_digit(code[i - 1]) && letter_is_digit(code[i + 1]);
    default:
        return false;
    }
}

/* The end of the word that begins at i. */
static size_t word_end(const Codes *codes, size_t begin) {
    const uint32_t *code = codes->code;
    size_t end = begin + 1;
    while (end < codes->count &&
           (letter_is_word(code[end]) || (end + 1 < codes->count && is_joint(code, end)))) {
        end++;
    }
    /* An elision that stands by itself, as in text that was cut before: l' homme. */
    if (end < codes->count && code[end] == '\'' && is_elision(code, begin, end) &&
        (end + 1 == codes->count || code[end + 1] == ' ')) {
        end++;
    }
    return end;
}

/* The end of the mark, or row of the same mark, that begins at i; or of an English ending that
 * stands by itself: man 's. */
static size_t mark_end(const Codes *codes, size_t begin) {
    const uint32_t *code = codes->code;
    size_t end = begin + 1;
    if (code[begin] == '\'' && (begin == 0 || code[begin - 1] == ' ')) {
        size_t last = end;
        while (last < codes->count && letter_is_word(code[last])) {
            last++;
        }
        if (is_ending(code, end, last) && (last == codes->count || code[last] == ' ')) {
            return last;
        }
    }
    while (end < codes->count && code[end] == code[begin]) {
        end++;
    }
    return end;
}

char *text_tokenise(const char *text) {
    Codes codes = codes_of(text);
    Writer out = {check_alloc(codes.count * 5 + UTF8_MAX), 0};
    size_t end;
    for (size_t i = 0; i < codes.count; i = end) {
        if (codes.code[i] == ' ') {
            end = i + 1;
        } else if (letter_is_word(codes.code[i])) {
            end = word_end(&codes, i);
            write_word(&out, codes.code, i, end);
        } else {
            end = mark_end(&codes, i);
            write_token(&out, codes.code, i, end);
        }
    }
    out.bytes[out.size] = '\0';
    free(codes.code);
    return out.bytes;
}

/* ---- and back, for show ---- */

static bool is_one_of(const char *token, size_t bytes, const char *list) {
    while (*list != '\0') {
        size_t size = strcspn(list, " ");
        if (size == bytes && memcmp(token, list, size) == 0) {
            return true;
        }
        list += size + strspn(list + size, " ");
    }
    return false;
}

char *text_detokenise(const char *tokens) {
    char *text = check_alloc(strlen(tokens) + 1);
    char *at = text;
    bool join = true; /* the next token follows without a space */
    bool quoted = false;
    for (const char *token = tokens + strspn(tokens, " "); *token != '\0';) {
        size_t bytes = strcspn(token, " ");
        bool quote = is_one_of(token, bytes, "\"");
        bool to_left = is_one_of(token, bytes, ". , ; : ! ? ... ) ] } % n't") ||
                       (token[0] == '\'' && bytes > 1) || (quote && quoted);
        if (!join && !to_left) {
            *at++ = ' ';
        }
        memcpy(at, token, bytes);
        at += bytes;
        join = is_one_of(token, bytes, "( [ {") || (token[bytes - 1] == '\'' && bytes > 1) ||
               (quote && !quoted);
        quoted ^= quote;
        token += bytes + strspn(token + bytes, " ");
    }
    *at = '\0';
    return text;
}

bool text_is_punctuation(const char *token, size_t bytes) {
    while (bytes > 0) {
        uint32_t code;
        size_t step = utf8_decode(token, bytes, &code);
        if (letter_is_word(code)) {
            return false;
        }
        token += step;
        bytes -= step;
    }
    return true;
}
