#include "data/chars.h"

#include "core/check.h"
#include "data/text.h"
#include "io/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* Counts the characters and gives them their ids. */
static void read_characters(CharText *text, const TokenCounts *counts, const char *utf8) {
    text->vocab = vocab_new(VOCAB_CHARACTERS, counts, 0, 1);
    text->V = text->vocab->size - VOCAB_SPECIALS;
    text->id = check_alloc((size_t)text->length * sizeof *text->id);
    vocab_encode(text->vocab, utf8, text->id, text->length);
    for (int i = 0; i < text->length; i++) {
        text->id[i] -= VOCAB_SPECIALS;
    }
}

static int count_unseen(const CharText *text) {
    bool *seen = check_alloc((size_t)text->V * sizeof *seen);
    for (int i = 0; i < text->train; i++) {
        seen[text->id[i]] = true;
    }
    int unseen = 0;
    for (int i = text->train; i < text->length; i++) {
        unseen += !seen[text->id[i]];
    }
    free(seen);
    return unseen;
}

bool chars_make(CharText *text, const char *name, const char *utf8, double held_out, int L,
                Error *error) {
    CHECK(held_out > 0 && held_out < 1 && L >= 1,
          "chars_make: a share of %g held out, windows of %d", held_out, L);
    *text = (CharText){0};
    size_t bad_at;
    if (strlen(utf8) > TEXT_LIMIT) {
        return error_set(error, "%s: longer than %zu MB", name, TEXT_LIMIT >> 20);
    }
    if (!utf8_valid(utf8, strlen(utf8), &bad_at)) {
        return error_set(error, "%s: byte %zu is not UTF-8", name, bad_at + 1);
    }
    int length = vocab_count(VOCAB_CHARACTERS, utf8);
    int tail = (int)(held_out * length);
    if (tail <= L || length - tail <= L) {
        return error_set(error,
                         "%s: too short: %d characters, %d of them held out, where a window of %d "
                         "needs %d in either part",
                         name, length, tail, L, L + 1);
    }
    TokenCounts *counts = token_counts_new();
    token_counts_add_text(counts, VOCAB_CHARACTERS, utf8);
    int kinds = token_counts_distinct(counts);
    if (kinds <= CHARS_KINDS_LIMIT) {
        text->length = length;
        text->train = length - tail;
        read_characters(text, counts, utf8);
        text->unseen = count_unseen(text);
    }
    token_counts_free(counts);
    return kinds <= CHARS_KINDS_LIMIT ||
           error_set(error, "%s: %d different characters, more than %d: a text for words", name,
                     kinds, CHARS_KINDS_LIMIT);
}

bool chars_load(CharText *text, const char *path, double held_out, int L, Error *error) {
    char *utf8;
    *text = (CharText){0};
    if (!text_load(path, &utf8, error)) {
        return false;
    }
    bool fine = chars_make(text, path, utf8, held_out, L, error);
    free(utf8);
    return fine;
}

void chars_free(CharText *text) {
    vocab_free(text->vocab);
    free(text->id);
    *text = (CharText){0};
}

/* ---- windows ---- */

int chars_count(const CharText *text, CharPart part) {
    return part == CHARS_TRAIN ? text->train : text->length - text->train;
}

/* Places of a part where a window of L and the character behind it fit. */
static int count_places(const CharText *text, CharPart part, int L) {
    int count = chars_count(text, part);
    CHECK(L >= 1 && L < count, "chars: a window of %d in a part of %d characters", L, count);
    return count - L;
}

static void copy_window(const CharText *text, CharPart part, int place, int L, int *input,
                        int *target) {
    const int *id = text->id + (part == CHARS_TRAIN ? 0 : text->train) + place;
    memcpy(input, id, (size_t)L * sizeof *input);
    memcpy(target, id + 1, (size_t)L * sizeof *target);
}

void chars_window(const CharText *text, CharPart part, Rng *rng, int B, int L, int *input,
                  int *target) {
    CHECK(B >= 1, "chars_window: %d windows", B);
    int places = count_places(text, part, L);
    for (int b = 0; b < B; b++) {
        int place = (int)rng_below(rng, (uint32_t)places);
        copy_window(text, part, place, L, input + (size_t)b * L, target + (size_t)b * L);
    }
}

int chars_every_count(const CharText *text, CharPart part, int every, int L) {
    CHECK(every >= 1, "chars_every: every %d-th place", every);
    return (count_places(text, part, L) - 1) / every + 1;
}

void chars_every(const CharText *text, CharPart part, int every, int first, int B, int L,
                 int *input, int *target) {
    int count = chars_every_count(text, part, every, L);
    CHECK(first >= 0 && B >= 1 && B <= count - first, "chars_every: windows %d to %d of %d", first,
          first + B - 1, count);
    for (int b = 0; b < B; b++) {
        int place = (first + b) * every;
        copy_window(text, part, place, L, input + (size_t)b * L, target + (size_t)b * L);
    }
}

/* ---- how hard the text is ---- */

double chars_unigram_nats(const CharText *text, CharPart part) {
    long *times = check_alloc((size_t)text->V * sizeof *times);
    const int *id = text->id + (part == CHARS_TRAIN ? 0 : text->train);
    int count = chars_count(text, part);
    for (int i = 0; i < count; i++) {
        times[id[i]]++;
    }
    double entropy = 0;
    for (int c = 0; c < text->V; c++) {
        if (times[c] > 0) {
            double p = (double)times[c] / count;
            entropy -= p * log(p); /* H = - sum p ln p */
        }
    }
    free(times);
    return entropy;
}

double chars_bits(double nats) {
    return nats / log(2.0);
}

/* ---- back and forth ---- */

static void check_ids(const CharText *text, const int *ids, int count) {
    for (int i = 0; i < count; i++) {
        CHECK(ids[i] >= 0 && ids[i] < text->V, "chars: id %d is not in 0..%d", ids[i], text->V - 1);
    }
}

/* The code point of an id. */
static uint32_t code_of(const CharText *text, int id) {
    const char *token = vocab_token(text->vocab, id + VOCAB_SPECIALS);
    return utf8_next(&token);
}

/* Writes the character as it is or, when it is one, spells the control character out (\x1B);
 * returns the bytes written. Those from 0x80 to 0x9F steer terminals, too. */
static size_t spell(uint32_t code, char out[CHARS_LABEL]) {
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) {
        return (size_t)snprintf(out, CHARS_LABEL, "\\x%02X", (unsigned)code);
    }
    return utf8_encode(code, out);
}

bool chars_encode(const CharText *text, const char *utf8, int *ids, int room, int *count,
                  Error *error) {
    *count = 0;
    while (*utf8 != '\0') {
        const char *begin = utf8;
        uint32_t code = utf8_next(&utf8);
        int id = vocab_id_bytes(text->vocab, begin, (size_t)(utf8 - begin)) - VOCAB_SPECIALS;
        if (id < 0) {
            char shown[CHARS_LABEL];
            spell(code, shown);
            return error_set(error, "the character \"%s\" does not occur in the text", shown);
        }
        if (*count == room) {
            return error_set(error, "longer than %d characters", room);
        }
        ids[(*count)++] = id;
    }
    return true;
}

char *chars_decode(const CharText *text, const int *ids, int count) {
    check_ids(text, ids, count);
    char *utf8 = check_alloc((size_t)count * (CHARS_LABEL - 1) + 1);
    char *at = utf8;
    for (int i = 0; i < count; i++) {
        uint32_t code = code_of(text, ids[i]);
        if (code == '\n' || code == '\t') {
            *at++ = (char)code;
        } else {
            char shown[CHARS_LABEL];
            size_t bytes = spell(code, shown);
            memcpy(at, shown, bytes);
            at += bytes;
        }
    }
    *at = '\0';
    return utf8;
}

void chars_label(const CharText *text, int id, char out[CHARS_LABEL]) {
    check_ids(text, &id, 1);
    uint32_t code = code_of(text, id);
    switch (code) {
    case ' ':
        strcpy(out, "_");
        break;
    case '\n':
        strcpy(out, "\\n");
        break;
    case '\t':
        strcpy(out, "\\t");
        break;
    default:
        spell(code, out);
    }
}
