/* Text in a cell of a .tsv file. */
#ifndef LESSON_TSV_H
#define LESSON_TSV_H

#include <stdio.h>

/* Writes the text with tab, newline, return and backslash as \t, \n, \r and \\. */
void tsv_put(FILE *out, const char *text);

/* The shortest decimal text from which the same number is read back: "0.25", "nan", a whole number
 * in full. */
void tsv_number(FILE *out, double value);

/* The same for a float32, for which fewer digits do. */
void tsv_float(FILE *out, float value);

#endif
