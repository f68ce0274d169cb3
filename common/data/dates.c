#include "data/dates.h"

#include "core/check.h"
#include "data/text.h"

#include <stdio.h>
#include <string.h>

static const char *const month_name[12] = {"January",   "February", "March",    "April",
                                           "May",       "June",     "July",     "August",
                                           "September", "October",  "November", "December"};
static const char *const weekday_name[7] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                            "Friday", "Saturday", "Sunday"};

/* ---- the calendar ---- */

/* The rule of four years alone: 2000 is a leap year and no other century falls in the range. */
static bool is_leap(int year) {
    return year % 4 == 0;
}

static int days_in_month(int year, int month) {
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

int date_number(int year, int month, int day) {
    CHECK(year >= DATE_FIRST_YEAR && year <= DATE_LAST_YEAR && month >= 1 && month <= 12 &&
              day >= 1 && day <= days_in_month(year, month),
          "date_number: %d-%d-%d is no day in %d..%d", year, month, day, DATE_FIRST_YEAR,
          DATE_LAST_YEAR);
    int number = day - 1;
    for (int y = DATE_FIRST_YEAR; y < year; y++) {
        number += is_leap(y) ? 366 : 365;
    }
    for (int m = 1; m < month; m++) {
        number += days_in_month(year, m);
    }
    return number;
}

void date_of_number(int number, int *year, int *month, int *day) {
    CHECK(number >= 0 && number < DATE_DAYS, "date_of_number: day %d of %d", number, DATE_DAYS);
    *year = DATE_FIRST_YEAR;
    for (; number >= (is_leap(*year) ? 366 : 365); (*year)++) {
        number -= is_leap(*year) ? 366 : 365;
    }
    *month = 1;
    for (; number >= days_in_month(*year, *month); (*month)++) {
        number -= days_in_month(*year, *month);
    }
    *day = number + 1;
}

int date_weekday(int number) {
    return (number + 2) % 7; /* 1 January 1930 was a Wednesday */
}

/* ---- writing ---- */

static const char *ordinal_ending(int day) {
    if (day >= 11 && day <= 13) {
        return "th";
    }
    return day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

static Span append(char *text, const char *piece) {
    size_t begin = strlen(text);
    size_t end = begin + strlen(piece);
    CHECK(end < DATE_SOURCE_LIMIT, "date_write: \"%s%s\" is too long", text, piece);
    memcpy(text + begin, piece, end - begin + 1);
    return (Span){(int)begin, (int)end};
}

/* %A Saturday, %a Sat, %e 5, %d 05, %o the "th" of 5th, %B March, %b Mar, %U MAR, %n 3, %m 03,
 * %Y 1988, %y 88: as in strftime, except for %o, %U and %n. */
static const char *const pattern[DATE_FORMATS] = {
    "%A, %e %B %Y", "%n/%e/%y",      "%e %U %Y",    "%e-%b-%y", "%a, %b %e %Y",
    "%B %e, %Y",    "%e%o of %B %Y", "%a %d.%m.%Y", "%Y/%m/%d", "the %e%o day of %m/%Y",
};

typedef struct Day {
    int year, month, day, weekday;
} Day;

static void write_day(char out[16], char code, int day) {
    switch (code) {
    case 'e':
        snprintf(out, 16, "%d", day);
        break;
    case 'd':
        snprintf(out, 16, "%02d", day);
        break;
    default: /* o */
        snprintf(out, 16, "%s", ordinal_ending(day));
    }
}

static void write_month(char out[16], char code, int month) {
    switch (code) {
    case 'B':
        snprintf(out, 16, "%s", month_name[month - 1]);
        break;
    case 'b':
    case 'U':
        snprintf(out, 16, "%.3s", month_name[month - 1]);
        break;
    case 'n':
        snprintf(out, 16, "%d", month);
        break;
    default: /* m */
        snprintf(out, 16, "%02d", month);
    }
    for (char *letter = out; code == 'U' && *letter != '\0'; letter++) {
        *letter = (char)(*letter >= 'a' ? *letter - 'a' + 'A' : *letter);
    }
}

/* Appends what one code of a pattern stands for and notes which field it was. */
static void write_code(Date *date, char code, const Day *day) {
    char piece[16];
    switch (code) {
    case 'A':
    case 'a':
        snprintf(piece, sizeof piece, code == 'A' ? "%s" : "%.3s", weekday_name[day->weekday]);
        append(date->source, piece);
        break;
    case 'Y':
    case 'y':
        snprintf(piece, sizeof piece, "%0*d", code == 'Y' ? 4 : 2,
                 code == 'Y' ? day->year : day->year % 100);
        date->year = append(date->source, piece);
        break;
    case 'e':
    case 'd':
        write_day(piece, code, day->day);
        date->day = append(date->source, piece);
        break;
    case 'o':
        write_day(piece, code, day->day);
        append(date->source, piece);
        break;
    default:
        write_month(piece, code, day->month);
        date->month = append(date->source, piece);
    }
}

Date date_write(int number, int format) {
    CHECK(format >= 0 && format < DATE_FORMATS, "date_write: format %d is not in 0..%d", format,
          DATE_FORMATS - 1);
    Date date = {.number = number, .format = format};
    Day day = {.weekday = date_weekday(number)};
    date_of_number(number, &day.year, &day.month, &day.day);
    for (const char *at = pattern[format]; *at != '\0'; at++) {
        if (*at == '%') {
            write_code(&date, *++at, &day);
        } else {
            append(date.source, (char[]){*at, '\0'});
        }
    }
    snprintf(date.target, sizeof date.target, "%04u-%02u-%02u", (unsigned)day.year % 10000,
             (unsigned)day.month % 100, (unsigned)day.day % 100);
    return date;
}

/* ---- samples ---- */

bool date_is_held_out(int number) {
    char key[16];
    int size = snprintf(key, sizeof key, "%d", number);
    return text_hash(key, (size_t)size, 0) % 10 == 0;
}

Date date_sample(Rng *rng, bool held_out) {
    int number;
    do {
        number = (int)rng_below(rng, DATE_DAYS);
    } while (date_is_held_out(number) != held_out);
    return date_write(number, (int)rng_below(rng, DATE_FORMATS));
}

/* ---- characters ---- */

/* Enters the characters in order of their codes; each counts once, and ties keep that order. */
static Vocab *vocab_of_characters(const bool used[128]) {
    TokenCounts *counts = token_counts_new();
    for (int code = 1; code < 128; code++) {
        if (used[code]) {
            char letter = (char)code;
            token_counts_add(counts, &letter, 1, 1);
        }
    }
    Vocab *vocab = vocab_new(VOCAB_CHARACTERS, counts, 0, 1);
    token_counts_free(counts);
    return vocab;
}

Vocab *dates_source_vocab(void) {
    bool used[128] = {false};
    /* Ten years: every digit, month, weekday and ordinal is among them. */
    for (int number = 0; number < 3653; number++) {
        for (int format = 0; format < DATE_FORMATS; format++) {
            Date date = date_write(number, format);
            for (const char *at = date.source; *at != '\0'; at++) {
                used[(unsigned char)*at & 127] = true;
            }
        }
    }
    return vocab_of_characters(used);
}

Vocab *dates_target_vocab(void) {
    bool used[128] = {false};
    for (const char *at = "-0123456789"; *at != '\0'; at++) {
        used[(unsigned char)*at & 127] = true;
    }
    return vocab_of_characters(used);
}

Corpus *dates_corpus(int count, bool held_out, Rng *rng, Date *dates) {
    Vocab *source_vocab = dates_source_vocab();
    Vocab *target_vocab = dates_target_vocab();
    Corpus *corpus = corpus_new();
    for (int i = 0; i < count; i++) {
        int source[DATE_SOURCE_LIMIT], target[DATE_TARGET_LENGTH];
        Date date = date_sample(rng, held_out);
        int length = vocab_encode(source_vocab, date.source, source, DATE_SOURCE_LIMIT);
        vocab_encode(target_vocab, date.target, target, DATE_TARGET_LENGTH);
        corpus_add(corpus, (Ids){source, length}, (Ids){target, DATE_TARGET_LENGTH});
        if (dates != NULL) {
            dates[i] = date;
        }
    }
    vocab_free(source_vocab);
    vocab_free(target_vocab);
    return corpus;
}
