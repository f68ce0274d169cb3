/* The student edition: the same tree, with every exercise emptied. */
#ifndef GRADE_EDITION_H
#define GRADE_EDITION_H

#include "grade/marks.h"
#include "grade/exercise_table.h"

/* One file of the edition: its text with the body of each exercise replaced by its task (from the
 * table) and a call of exercise_missing(), which core/exercise.h is included for. A string of its
 * own; NULL with an error for a bad mark or an exercise that the table does not know. `*count`
 * grows by the number of regions. */
char *edition_text(const ExerciseTable *table, const char *path, const char *text, int *count,
                   Error *error);

/* The task of an exercise as a comment, wrapped at 100 columns, each line indented and ended. Free
 * it with free(). */
char *edition_comment(const Exercise *exercise, int indent);

/* The README of the edition: it says at its top that it is one, has a chapter on the exercises
 * where that for instructors stands, and leaves out what the edition does not have. A string of its
 * own; of another text, the same. */
char *edition_readme(const char *text);

/* Writes the whole edition of the project in folder `from` to folder `to`, which must be empty or
 * not there. Only what a student needs goes along: common/, lessons/, plots/, the build, and of
 * tests/ what holds no solution (reference values and what runs them). Prints nothing. */
bool edition_write(const ExerciseTable *table, const char *from, const char *to, int *count,
                   Error *error);

#endif
