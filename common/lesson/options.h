/* Flags with a type: a table says what each is called, what it may be and where its value goes; the
 * parser, the help and the record of a run are all made from that table.
 *
 *     const Option options[] = {
 *         OPTION_INT("hidden", 'H', &recall.hidden, 1, 1024, "units of the recurrent state"),
 *         OPTION_FLOAT("rate", 0, &recall.rate, 1e-6, 1, "learning rate"),
 *         OPTION_CHOICE("score", 0, &recall.score, scores, "how query and key are compared"),
 *         OPTION_TEXT("data", 'd', &recall.data, "FILE", "sentence pairs, one a line"),
 *         OPTION_FLAG("bidirectional", 0, &recall.bidirectional, "encoder reads both ways"),
 *     };
 *
 * What the variables hold before parsing is the default, and the help shows it. */
#ifndef LESSON_OPTIONS_H
#define LESSON_OPTIONS_H

#include "io/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef enum OptionKind {
    OPTION_IS_FLAG,   /* present or not */
    OPTION_IS_INT,    /* a whole number in min .. max */
    OPTION_IS_SEED,   /* a whole number of 64 bits */
    OPTION_IS_FLOAT,  /* a number in min .. max */
    OPTION_IS_CHOICE, /* one of some words; the value is its place among them, from 0 */
    OPTION_IS_TEXT,   /* any text that is not empty */
    OPTION_IS_LIST,   /* the same; given more than once, the texts are joined by commas */
} OptionKind;

typedef struct Option {
    OptionKind kind;
    const char *name; /* "d-model" for --d-model */
    char letter;      /* 'd' for -d, or 0 */
    union {
        bool *flag;
        int *whole; /* OPTION_IS_INT and OPTION_IS_CHOICE */
        uint64_t *seed;
        float *number;
        const char **text;
    } value;
    double min, max;
    const char *const *choices; /* ends with NULL */
    bool is_file;               /* a text that names a file to be read */
    const char *value_name;     /* what stands for the value in the help, "N" or "FILE" */
    const char *help;           /* a few words, lower case, no full stop */
} Option;

#define OPTION_FLAG(name_, letter_, variable, help_)                                               \
    {                                                                                              \
        .kind = OPTION_IS_FLAG, .name = (name_), .letter = (letter_), .value.flag = (variable),    \
        .help = (help_)                                                                            \
    }
#define OPTION_SEED(name_, letter_, variable, help_)                                               \
    {                                                                                              \
        .kind = OPTION_IS_SEED, .name = (name_), .letter = (letter_), .value.seed = (variable),    \
        .value_name = "N", .help = (help_)                                                         \
    }
#define OPTION_INT(name_, letter_, variable, min_, max_, help_)                                    \
    {                                                                                              \
        .kind = OPTION_IS_INT, .name = (name_), .letter = (letter_), .value.whole = (variable),    \
        .min = (min_), .max = (max_), .value_name = "N", .help = (help_)                           \
    }
#define OPTION_FLOAT(name_, letter_, variable, min_, max_, help_)                                  \
    {                                                                                              \
        .kind = OPTION_IS_FLOAT, .name = (name_), .letter = (letter_), .value.number = (variable), \
        .min = (min_), .max = (max_), .value_name = "X", .help = (help_)                           \
    }
#define OPTION_CHOICE(name_, letter_, variable, choices_, help_)                                   \
    {                                                                                              \
        .kind = OPTION_IS_CHOICE, .name = (name_), .letter = (letter_), .value.whole = (variable), \
        .choices = (choices_), .value_name = "WORD", .help = (help_)                               \
    }
#define OPTION_TEXT(name_, letter_, variable, value_name_, help_)                                  \
    {                                                                                              \
        .kind = OPTION_IS_TEXT, .name = (name_), .letter = (letter_), .value.text = (variable),    \
        .value_name = (value_name_), .help = (help_)                                               \
    }

/* A file that the run reads: run.tsv has its checksum. */
#define OPTION_FILE(name_, letter_, variable, value_name_, help_)                                  \
    {                                                                                              \
        .kind = OPTION_IS_TEXT, .name = (name_), .letter = (letter_), .value.text = (variable),    \
        .is_file = true, .value_name = (value_name_), .help = (help_)                              \
    }

#define OPTION_LIST(name_, letter_, variable, value_name_, help_)                                  \
    {                                                                                              \
        .kind = OPTION_IS_LIST, .name = (name_), .letter = (letter_), .value.text = (variable),    \
        .value_name = (value_name_), .help = (help_)                                               \
    }

/* Reads argv into the variables. Everything is checked: unknown flags (with a suggestion when one
 * is close), flags without their value, values that are no numbers, out of range or no choice, and
 * words that are no flags at all. The error is one line that says what is wrong and what is
 * allowed. Texts point into argv; joined lists are kept in memory that the caller frees through
 * `joined` (NULL: lists are not used). */
bool options_parse(const Option *options, int count, int argc, char **argv, char **joined,
                   Error *error);

/* The value as text: "64", "0.003", "yes", "dot"; "-" for a text that is not set. */
void option_value_text(const Option *option, char *text, size_t size);

/* The word of `words` (count of them) that `typed` was probably meant to be, or NULL. */
const char *closest_word(const char *typed, const char *const *words, int count);

#endif
