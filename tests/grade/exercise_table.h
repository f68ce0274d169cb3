/* The two tables of the grading: tests/grade/exercises.tsv says what there is to do,
 * tests/grade/checks.tsv how it is checked. Both have one line of column names, then one line for
 * each exercise or check; lines that are empty or begin with '#' are for people. */
#ifndef GRADE_EXERCISE_TABLE_H
#define GRADE_EXERCISE_TABLE_H

#include "io/file.h"

typedef struct Exercise {
    const char *number;  /* "4.1" */
    const char *title;   /* "scores" */
    const char *needs;   /* "2.4 4.1": exercises without which this one cannot pass; "-": none */
    const char *task;    /* what to write */
    const char *shapes;  /* what goes in and comes out */
    const char *formula; /* and where it is from */
    const char *hint;
} Exercise;

typedef struct Check {
    const char *exercise; /* "4.1" */
    const char *function; /* the worker's: check_NAME in grade/calls */
    const char *unit;   /* "library", or the lesson whose functions it calls: "04_self_attention" */
    const char *shown;  /* what it calls, in words for the student */
    const char *inputs; /* see grade/inputs.h */
} Check;

enum { EXERCISES_MOST = 64, CHECKS_MOST = 128 };

typedef struct ExerciseTable {
    Exercise exercise[EXERCISES_MOST];
    int exercises;
    Check check[CHECKS_MOST];
    int checks;
    char *text[2]; /* the files; everything above points into them */
} ExerciseTable;

/* Reads both files of a folder. Errors name the file and the line: a missing or surplus column, an
 * exercise twice, a check or a need of an exercise that is not there, an exercise without check. */
bool exercise_table_read(ExerciseTable *table, const char *folder, Error *error);
void exercise_table_free(ExerciseTable *table);

/* The exercise of that number, or -1. */
int exercise_table_find(const ExerciseTable *table, const char *number);

/* Is `number` a word of the list `needs`? */
bool exercise_table_lists(const char *needs, const char *number);

#endif
