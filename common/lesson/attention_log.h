/* attention.tsv: every attention weight a run has shown, one a line, for other programs to read.
 *
 * Columns: layer head query key query_token key_token weight map. The last says which map it is:
 * the picture that shows it, without its ending, and in a picture of several models the title of
 * the panel behind ": ". Tab, newline, return and backslash in a text are written \t, \n, \r and
 * \\. */
#ifndef LESSON_ATTENTION_LOG_H
#define LESSON_ATTENTION_LOG_H

#include "io/file.h"

typedef struct AttentionLog {
    char *text; /* what was gathered so far */
    size_t size, capacity;
} AttentionLog;

/* One map of that name: weights (queries, keys), row by row; a token for each query and each key.
 */
void attention_log_add(AttentionLog *log, const char *map, int layer, int head,
                       const float *weights, int queries, int keys, const char *const *query_tokens,
                       const char *const *key_tokens);

/* Writes all of it to `path`, with a header line. */
bool attention_log_write(const AttentionLog *log, const char *path, Error *error);

void attention_log_free(AttentionLog *log);

#endif
