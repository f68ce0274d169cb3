/* Dates: from ten ways to write a day to the one of ISO 8601, character by character.
 *
 *     0  Saturday, 5 March 1988        5  March 5, 1988
 *     1  3/5/88                        6  5th of March 1988
 *     2  5 MAR 1988                    7  Sat 05.03.1988
 *     3  5-Mar-88                      8  1988/03/05
 *     4  Sat, Mar 5 1988               9  the 5th day of 03/1988
 *                                                        all become 1988-03-05
 *
 * Days run from 1 January 1930 to 31 December 2029, so that a year of two digits is unambiguous:
 * 30..99 are 1930..1999, 00..29 are 2000..2029. Format 1 puts the month first, as in the United
 * States (3/5/88 is the fifth of March); format 7 puts the day first. No text means two days, and
 * weekdays are those of the calendar. Everything is ASCII, so a character is a byte. */
#ifndef DATA_DATES_H
#define DATA_DATES_H

#include "core/rng.h"
#include "data/corpus.h"

enum {
    DATE_FORMATS = 10,
    DATE_FIRST_YEAR = 1930,
    DATE_LAST_YEAR = 2029,
    DATE_DAYS = 36525,      /* days in those hundred years */
    DATE_SOURCE_LIMIT = 32, /* room for the longest source and its NUL */
    DATE_TARGET_LENGTH = 10 /* 1988-03-05 */
};

/* Characters begin .. end - 1. */
typedef struct Span {
    int begin, end;
} Span;

/* Where the fields stand in every target. */
#define DATE_TARGET_YEAR ((Span){0, 4})
#define DATE_TARGET_MONTH ((Span){5, 7})
#define DATE_TARGET_DAY ((Span){8, 10})

typedef struct Date {
    char source[DATE_SOURCE_LIMIT];
    char target[DATE_TARGET_LENGTH + 1];
    Span year, month, day; /* where the fields stand in the source: only what carries the number,
                              not the "th" of 5th; in format 6 that is 0:1, 7:12 and so on */
    int number;            /* of the day: 0 is 1 January 1930 */
    int format;            /* 0 .. DATE_FORMATS - 1 */
} Date;

/* A day by its number (0 .. DATE_DAYS - 1) in one of the formats. */
Date date_write(int number, int format);

/* The number of a day, and back; an impossible day is an error. */
int date_number(int year, int month, int day);
void date_of_number(int number, int *year, int *month, int *day);

/* 0 is Monday, 6 is Sunday. */
int date_weekday(int number);

/* One day in ten is held out, in all its formats: a held-out target was never a training target.
 * Which days is fixed, the same for every seed. */
bool date_is_held_out(int number);

/* A random day of the training part or of the held-out part in a random format. */
Date date_sample(Rng *rng, bool held_out);

/* `count` samples as a corpus; `dates`, when not NULL, receives the samples themselves (count). */
Corpus *dates_corpus(int count, bool held_out, Rng *rng, Date *dates);

/* Every character that can stand in a source (a target), in the order of their codes: fixed
 * alphabets that do not depend on any sample. */
Vocab *dates_source_vocab(void);
Vocab *dates_target_vocab(void);

#endif
