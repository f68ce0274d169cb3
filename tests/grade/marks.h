/* The marks that say which lines of a C file are an exercise.
 *
 * A mark is a comment that begins with "Exercise 4.1". At the left edge, in front of a function, it
 * means the whole body of that function:
 *
 *     / * Exercise 6.2. A query or key x (D) at position p: pair i is turned by p w_i. * /
 *     void rope(float *x, int p, int D) {
 *         ...                                              the exercise
 *     }
 *
 * Indented, inside of a function, it means the lines behind it, up to a line with the comment "End
 * of exercise 4.1". What is declared there is gone in the student edition, too: it must not be
 * needed further down. A piece that exists twice is marked in every place with the same number. */
#ifndef GRADE_MARKS_H
#define GRADE_MARKS_H

#include "io/file.h"

typedef struct Region {
    char number[8];    /* "4.1" */
    size_t begin, end; /* bytes of the file that are the solution: whole lines */
    int indent;        /* of its lines, in spaces */
} Region;

enum { MARKS_MOST = 24 };

typedef struct Marks {
    Region region[MARKS_MOST];
    int count;
} Marks;

/* Finds the regions of a C file, in order. Errors, with the file's name and line: a mark without
 * number, function or end, regions within regions, too many of them. */
bool marks_read(Marks *marks, const char *path, const char *text, Error *error);

/* In which exercise does this line (from 1) stand, by the last mark above it in its function? Made
 * for files that anybody may have changed: a mark without end holds to the end of its function, and
 * marks that make no sense mark nothing. */
bool marks_number_at(const char *text, long line, char number[8]);

/* What stands in for a region: lines, indented by `indent`, each with its newline. A string of its
 * own, released by marks_replace(); NULL leaves the region as it is. */
typedef char *(*MarksBody)(void *context, const Region *region);

/* The text with every region replaced: a string of its own, released with free(). */
char *marks_replace(const Marks *marks, const char *text, MarksBody body, void *context);

#endif
