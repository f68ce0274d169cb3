/* What is in a folder, and the end of a folder that was made for a while. */
#ifndef IO_FOLDER_H
#define IO_FOLDER_H

#include "io/file.h"

/* Names in order: numbers in them count as numbers. */
typedef struct Names {
    char **name;
    int count;
    int left_out; /* there was no room for them */
} Names;

typedef enum EntryKind { ENTRY_FILE, ENTRY_FOLDER } EntryKind;

/* The first `most` names of the regular files, or of the folders, in a folder; those that begin
 * with a dot are passed over. Of a folder with more than a hundred thousand of them those that the
 * system names first are sorted. Errors: it is not there, no folder, not readable, memory runs out;
 * then there are no names. Release with names_free(). */
bool names_read(const char *folder, EntryKind kind, int most, Names *names, Error *error);
void names_free(Names *names);

/* Is it one of them? */
bool names_has(const Names *names, const char *name);

/* Compares two names like strcmp, but 2 before 10. */
int name_order(const char *a, const char *b);

/* Is there something of that kind at the path? A link counts as what it leads to. */
bool path_is(const char *path, EntryKind kind);

/* Removes a folder with all that is in it, as far as that can be done. Links are removed, what they
 * lead to is not. */
void folder_discard(const char *path);

#endif
