/* Reading run.tsv again. What it says is not trusted: a folder may hold anything. */
#ifndef LESSON_RECORD_READ_H
#define LESSON_RECORD_READ_H

#include "io/file.h"

typedef struct RecordLine {
    char *key, *value; /* within the text */
} RecordLine;

typedef struct Record {
    char *text;
    RecordLine *line;
    int count;
} Record;

/* Reads the run.tsv of a folder; release it with record_free() when the result is true. Errors, in
 * one line that names the folder: there is none, so that it is no run; what is no such file: a line
 * without a tab, larger than a megabyte, bytes that are 0. */
bool record_read(const char *folder, Record *record, Error *error);
void record_free(Record *record);

/* The value of a key, the escapes of .tsv resolved, or NULL. */
const char *record_value(const Record *record, const char *key);

/* The words of the line "flags", their quotes resolved, in memory of their own: each of them, and
 * the list, is to be freed. NULL where a quote does not end. `*count` says how many. */
char **record_words(const char *flags, int *count);

#endif
