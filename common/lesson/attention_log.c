#include "lesson/attention_log.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "io/tsv.h"

static void append(AttentionLog *log, const char *text, size_t size) {
    if (log->size + size > log->capacity) {
        size_t capacity = 2 * (log->size + size) + 4096;
        char *larger = check_alloc(capacity);
        if (log->size > 0) {
            memcpy(larger, log->text, log->size);
        }
        free(log->text);
        log->text = larger;
        log->capacity = capacity;
    }
    memcpy(log->text + log->size, text, size);
    log->size += size;
}

void attention_log_add(AttentionLog *log, const char *map, int layer, int head,
                       const float *weights, int queries, int keys, const char *const *query_tokens,
                       const char *const *key_tokens) {
    char *rows = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&rows, &size);
    CHECK(out != NULL, "out of memory");
    for (int q = 0; q < queries; q++) {
        for (int k = 0; k < keys; k++) {
            fprintf(out, "%d\t%d\t%d\t%d\t", layer, head, q, k);
            tsv_put(out, query_tokens[q]);
            putc('\t', out);
            tsv_put(out, key_tokens[k]);
            putc('\t', out);
            tsv_float(out, weights[(size_t)q * (size_t)keys + (size_t)k]);
            putc('\t', out);
            tsv_put(out, map);
            putc('\n', out);
        }
    }
    CHECK(fclose(out) == 0, "out of memory");
    append(log, rows, size);
    free(rows);
}

bool attention_log_write(const AttentionLog *log, const char *path, Error *error) {
    AtomicFile file;
    FILE *out = atomic_open(&file, path, error);
    if (!out) {
        return false;
    }
    fputs("layer\thead\tquery\tkey\tquery_token\tkey_token\tweight\tmap\n", out);
    if (log->size > 0) {
        fwrite(log->text, 1, log->size, out);
    }
    return atomic_commit(&file, error);
}

void attention_log_free(AttentionLog *log) {
    free(log->text);
    *log = (AttentionLog){0};
}
