#include "lesson/vocab_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "io/utf8.h"

bool vocab_put(SafeTensors *set, const char *name, const Vocab *vocab) {
    size_t size = 0, used = 0;
    for (int i = 0; i < vocab->size; i++) {
        size += strlen(vocab_token(vocab, i)) + 1;
    }
    char *bytes = check_alloc(size + 1);
    for (int i = 0; i < vocab->size; i++) {
        size_t length = strlen(vocab_token(vocab, i)) + 1;
        memcpy(bytes + used, vocab_token(vocab, i), length);
        used += length;
    }
    bool ok = safetensors_put_bytes(set, name, size, bytes);
    free(bytes);
    return ok;
}

/* A token of the file as it can be shown: it may be long, and need not end. */
static void shorten(const char *bytes, size_t size, char *out, size_t room) {
    char copy[128];
    size_t length = 0;
    while (length < size && length < sizeof copy - 1 && bytes[length] != '\0') {
        copy[length] = bytes[length];
        length++;
    }
    copy[length] = '\0';
    utf8_shorten(out, room, copy, 30, true);
}

static int tokens_in(const char *bytes, size_t size) {
    int count = 0;
    for (size_t i = 0; i < size; i++) {
        count += bytes[i] == '\0';
    }
    return count;
}

bool vocab_agrees(const SafeTensors *set, const char *where, const char *name, const char *side,
                  const Vocab *vocab, Error *error) {
    const SafeArray *array = safetensors_find(set, name);
    if (array == NULL || strcmp(array->dtype, "U8") != 0) {
        return error_set(error, "%s: there is no %s in it, the %s vocabulary, in bytes", where,
                         name, side);
    }
    const char *bytes = (const char *)array->bytes;
    size_t at = 0;
    int id = 0;
    for (; id < vocab->size; id++) {
        size_t length = strlen(vocab_token(vocab, id)) + 1;
        if (length > array->size - at || memcmp(bytes + at, vocab_token(vocab, id), length) != 0) {
            break;
        }
        at += length;
    }
    if (id == vocab->size && at == array->size) {
        return true;
    }
    char there[128] = "", here[128] = "";
    shorten(bytes + at, array->size - at, there, sizeof there);
    if (id < vocab->size) {
        utf8_shorten(here, sizeof here, vocab_token(vocab, id), 30, true);
    }
    return error_set(error,
                     "%s: %s: another vocabulary than that of this run's data: %d entries there, "
                     "%d here; number %d is \"%s\" there and \"%s\" here",
                     where, name, tokens_in(bytes, array->size), vocab->size, id, there, here);
}
