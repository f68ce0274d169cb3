/* The tiny lesson as a user would meet it: in a process of its own, in an empty folder, with a pipe
 * or a terminal before it. */
#ifndef TESTS_LESSON_CHILD_H
#define TESTS_LESSON_CHILD_H

#include <stdbool.h>

enum { CHILD_PATH = 512, CHILD_SECONDS = 60 };

/* How to run it; all but `flags` may be zero. */
typedef struct Call {
    const char *flags;       /* split at blanks; "%20" stands for a blank */
    const char *environment; /* "NAME=value NAME=": the same, an empty value unsets */
    int columns;             /* a terminal that wide on all three streams instead of pipes */
    int rows;                /* and that high; 0: so high that no text fills it */
    const char *input;       /* what standard input holds; it ends after that */
    const char *type;        /* on a terminal: typed, one line for each pause, ^ for end of input */
    const char *wait_for;    /* when this was printed, the signal is sent */
    int signal, again;       /* the signal, and a second one of its kind... */
    int again_after;         /* ... so many milliseconds later */
    bool close_early;        /* nobody reads any more after wait_for */
    bool close_output;       /* standard output is closed from the start */
    const char *output_file; /* standard output goes there, such as /dev/full */
    long file_limit;         /* bytes a file may have: stands in for a full disk */
    const char *folder;      /* of an earlier child: run there again */
    int (*main)(int argc, char **argv); /* NULL: tiny_lesson_main */
} Call;

typedef struct Child {
    int code;                /* exit code, or 128 + signal */
    bool by_signal;          /* it did not leave by itself */
    char *out, *err;         /* what it printed; on a terminal all is in out */
    char folder[CHILD_PATH]; /* where it ran */
} Child;

/* Runs it to its end; fails the test when that takes longer than CHILD_SECONDS. */
Child child_run(Call call);

/* Frees the texts and removes the folder. */
void child_free(Child *child);

/* A file below the child's folder as text (free() it), or NULL when it is not there. */
char *child_file(const Child *child, const char *path);

/* Names in a folder below the child's, hidden ones included, sorted, one a line; free() it. */
char *child_list(const Child *child, const char *path);

#endif
