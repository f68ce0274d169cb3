/* A student's files, taken over as what they are: data.
 *
 * Of the student's folder only common/ and lessons/ are looked at, and of those only regular files
 * of harmless names that end in .c or .h, of bounded number and size. Links are not followed. */
#ifndef GRADE_TREE_H
#define GRADE_TREE_H

#include "io/file.h"

enum { TREE_MOST = 600, TREE_PATH = 160, TREE_FILE = 1 << 20, TREE_ALL = 16 << 20 };

typedef enum SourceState {
    SOURCE_SAME,     /* as in the instructor's edition: its object is taken */
    SOURCE_CHANGED,  /* to be compiled */
    SOURCE_COMPILED, /* there is an object */
    SOURCE_BROKEN,   /* there is none: `error` says why */
} SourceState;

typedef struct Source {
    char path[TREE_PATH]; /* "common/nn/beam.c" */
    SourceState state;
    char error[300];
    bool alone; /* its object is linked by itself, in place of the library's */
} Source;

/* A call of exercise_missing() that still stands in the student's files. */
typedef struct OpenPlace {
    char number[8], path[TREE_PATH];
    int line;
} OpenPlace;

typedef struct Tree {
    Source source[TREE_MOST]; /* the .c files, the instructor's first, in order */
    int sources;
    bool same_headers;
    OpenPlace open[128];
    int opens;
    size_t bytes;
    unsigned long long fingerprint; /* of all paths and contents */
} Tree;

/* Copies the student's files to `to` (whose folders it makes) and compares them with those of the
 * project in folder `own`. An instructor's source that is not there is broken ("is missing"). */
bool tree_take(Tree *tree, const char *student, const char *own, const char *to, Error *error);

/* The same without copying: for the fingerprint alone. */
bool tree_look(Tree *tree, const char *student, Error *error);

/* The first place of that exercise that is still open, or NULL. */
const OpenPlace *tree_open_place(const Tree *tree, const char *number);

#endif
