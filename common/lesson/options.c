#include "lesson/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"

enum { MAX_OPTIONS = 64, LONG_BASE = 256, ALLOWED_SIZE = 256 };

/* ---- what is allowed ---- */

static void join_words(char *text, size_t size, const char *const *words, const char *separator) {
    text[0] = '\0';
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i > 0 ? separator : "", words[i]);
    }
}

/* "1 to 1024", "dot, general, concat": the half of a message that helps. */
static void allowed_text(const Option *option, char *text, size_t size) {
    switch (option->kind) {
    case OPTION_IS_INT:
        snprintf(text, size, "whole numbers from %.0f to %.0f", option->min, option->max);
        return;
    case OPTION_IS_SEED:
        snprintf(text, size, "whole numbers from 0 to %llu", (unsigned long long)UINT64_MAX);
        return;
    case OPTION_IS_FLOAT:
        snprintf(text, size, "numbers from %g to %g", option->min, option->max);
        return;
    case OPTION_IS_CHOICE:
        join_words(text, size, option->choices, ", ");
        return;
    case OPTION_IS_TEXT:
    case OPTION_IS_LIST:
        snprintf(text, size, "any %s", option->value_name);
        return;
    case OPTION_IS_FLAG:
        break;
    }
    snprintf(text, size, "nothing");
}

static bool refuse(const Option *option, const char *typed, const char *problem, Error *error) {
    char allowed[ALLOWED_SIZE];
    allowed_text(option, allowed, sizeof allowed);
    return error_set(error, "--%s %.100s: %s; allowed: %s", option->name, typed, problem, allowed);
}

/* ---- close words ---- */

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Edit distance: letters inserted, dropped, changed (Levenshtein 1966) or swapped with their
 * neighbour (Damerau 1964). */
static int edit_distance(const char *a, const char *b) {
    enum { LONGEST = 40 };
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST) {
        return LONGEST;
    }
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(change, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[n][m];
}

const char *closest_word(const char *typed, const char *const *words, int count) {
    const char *best = NULL;
    int allowed = (int)strlen(typed) > 3 ? 2 : 1, nearest = allowed + 1;
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(typed, words[i]);
        if (distance < nearest) {
            nearest = distance;
            best = words[i];
        }
    }
    return best;
}

/* ---- one value ---- */

/* Is the whole text a number for strtol and its relatives, without spaces before it? */
static bool whole_text(const char *typed, const char *end) {
    return end != typed && *end == '\0' && !isspace((unsigned char)typed[0]);
}

static bool parse_int(const Option *option, const char *typed, Error *error) {
    char *end;
    errno = 0;
    long value = strtol(typed, &end, 10);
    if (!whole_text(typed, end)) {
        return refuse(option, typed, "not a whole number", error);
    }
    if (errno == ERANGE || (double)value < option->min || (double)value > option->max) {
        return refuse(option, typed, "out of range", error);
    }
    *option->value.whole = (int)value;
    return true;
}

static bool parse_seed(const Option *option, const char *typed, Error *error) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(typed, &end, 10);
    if (!whole_text(typed, end)) {
        return refuse(option, typed, "not a whole number", error);
    }
    if (errno == ERANGE || typed[0] == '-') { /* strtoull would wrap a negative number around */
        return refuse(option, typed, "out of range", error);
    }
    *option->value.seed = value;
    return true;
}

static bool parse_float(const Option *option, const char *typed, Error *error) {
    char *end;
    double value = strtod(typed, &end);
    if (!whole_text(typed, end) || value != value) {
        return refuse(option, typed, "not a number", error);
    }
    if (!(value >= option->min && value <= option->max)) {
        return refuse(option, typed, "out of range", error);
    }
    *option->value.number = (float)value;
    return true;
}

static bool parse_choice(const Option *option, const char *typed, Error *error) {
    int count = 0;
    for (; option->choices[count]; count++) {
        if (strcmp(typed, option->choices[count]) == 0) {
            *option->value.whole = count;
            return true;
        }
    }
    char problem[96] = "no such choice";
    const char *close = closest_word(typed, option->choices, count);
    if (close) {
        snprintf(problem, sizeof problem, "no such choice, did you mean %.40s?", close);
    }
    return refuse(option, typed, problem, error);
}

static bool parse_text(const Option *option, const char *typed, char **joined, Error *error) {
    if (!*typed) {
        return error_set(error, "--%s: an empty text, where a %s is needed", option->name,
                         option->value_name);
    }
    const char *before = *option->value.text;
    if (option->kind == OPTION_IS_TEXT || !before) {
        *option->value.text = typed;
        return true;
    }
    CHECK(joined != NULL, "options_parse: --%s is a list and there is nowhere to join it",
          option->name);
    size_t size = strlen(before) + strlen(typed) + 2;
    char *both = check_alloc(size);
    snprintf(both, size, "%s,%s", before, typed);
    free(*joined);
    *joined = both;
    *option->value.text = both;
    return true;
}

static bool parse_value(const Option *option, const char *typed, char **joined, Error *error) {
    switch (option->kind) {
    case OPTION_IS_FLAG:
        *option->value.flag = true;
        return true;
    case OPTION_IS_INT:
        return parse_int(option, typed, error);
    case OPTION_IS_SEED:
        return parse_seed(option, typed, error);
    case OPTION_IS_FLOAT:
        return parse_float(option, typed, error);
    case OPTION_IS_CHOICE:
        return parse_choice(option, typed, error);
    case OPTION_IS_TEXT:
    case OPTION_IS_LIST:
        return parse_text(option, typed, joined, error);
    }
    return false;
}

void option_value_text(const Option *option, char *text, size_t size) {
    switch (option->kind) {
    case OPTION_IS_FLAG:
        snprintf(text, size, "%s", *option->value.flag ? "yes" : "no");
        return;
    case OPTION_IS_INT:
        snprintf(text, size, "%d", *option->value.whole);
        return;
    case OPTION_IS_SEED:
        snprintf(text, size, "%llu", (unsigned long long)*option->value.seed);
        return;
    case OPTION_IS_FLOAT:
        snprintf(text, size, "%.7g", (double)*option->value.number);
        return;
    case OPTION_IS_CHOICE:
        snprintf(text, size, "%s", option->choices[*option->value.whole]);
        return;
    case OPTION_IS_TEXT:
    case OPTION_IS_LIST:
        snprintf(text, size, "%s", *option->value.text ? *option->value.text : "-");
        return;
    }
}

/* ---- the command line ---- */

/* What getopt_long wants to know, made from our table. */
typedef struct GetoptTable {
    struct option longs[MAX_OPTIONS + 1];
    char shorts[2 * MAX_OPTIONS + 3];
} GetoptTable;

static GetoptTable getopt_table(const Option *options, int count) {
    CHECK(count <= MAX_OPTIONS, "options_parse: %d options, room for %d", count, MAX_OPTIONS);
    GetoptTable table = {.shorts = ":"}; /* tell a missing value from an unknown flag */
    size_t used = 1;
    for (int i = 0; i < count; i++) {
        bool value = options[i].kind != OPTION_IS_FLAG;
        table.longs[i] = (struct option){.name = options[i].name,
                                         .has_arg = value ? required_argument : no_argument,
                                         .val = LONG_BASE + i};
        if (options[i].letter) {
            table.shorts[used++] = options[i].letter;
            if (value) {
                table.shorts[used++] = ':';
            }
        }
    }
    return table;
}

static const Option *find_option(const Option *options, int count, int code) {
    for (int i = 0; i < count; i++) {
        if (code == LONG_BASE + i || (options[i].letter && code == options[i].letter)) {
            return &options[i];
        }
    }
    return NULL;
}

/* "--hiden=3" is none of ours: say so, and what it might have been. */
static bool refuse_long(const Option *options, int count, const char *typed, Error *error) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    const char *names[MAX_OPTIONS], *begin[MAX_OPTIONS + 1] = {NULL};
    int beginning = 0;
    for (int i = 0; i < count; i++) {
        names[i] = options[i].name;
        if (*name && strncmp(names[i], name, strlen(name)) == 0) {
            begin[beginning++] = names[i];
        }
    }
    if (beginning > 1) {
        char list[ALLOWED_SIZE];
        join_words(list, sizeof list, begin, " or --");
        return error_set(error, "--%s can mean --%s", name, list);
    }
    const char *close = closest_word(name, names, count);
    if (close) {
        return error_set(error, "unknown flag --%s; did you mean --%s? (--help lists all flags)",
                         name, close);
    }
    return error_set(error, "unknown flag --%s; --help lists all flags", name);
}

/* What getopt_long stumbled over: `code` is what it returned. */
static bool refuse_flag(const Option *options, int count, char **argv, int code, Error *error) {
    const Option *option = optopt ? find_option(options, count, optopt) : NULL;
    if (code == ':' && option) {
        char allowed[ALLOWED_SIZE];
        allowed_text(option, allowed, sizeof allowed);
        return error_set(error, "--%s needs a value; allowed: %s", option->name, allowed);
    }
    if (option) {
        return error_set(error, "--%s takes no value", option->name);
    }
    if (optopt && optopt < LONG_BASE) {
        return error_set(error, "unknown flag -%c; --help lists all flags", optopt);
    }
    return refuse_long(options, count, argv[optind - 1], error);
}

/* "--out --quick": the value was forgotten, and the next flag would be taken for it. */
static bool value_is_flag(const Option *options, int count, const char *value) {
    for (int i = 0; i < count; i++) {
        if (strncmp(value, "--", 2) == 0 && strcmp(value + 2, options[i].name) == 0) {
            return true;
        }
    }
    return false;
}

static void getopt_restart(void) {
    opterr = 0;
#if defined(__GLIBC__)
    optind = 0; /* also forgets where in "-qs" it was */
#else
    optind = 1;
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
    optreset = 1;
#endif
#endif
}

bool options_parse(const Option *options, int count, int argc, char **argv, char **joined,
                   Error *error) {
    GetoptTable table = getopt_table(options, count);
    getopt_restart();
    for (;;) {
        optopt = 0;
        int code = getopt_long(argc, argv, table.shorts, table.longs, NULL);
        if (code == -1) {
            break;
        }
        if (code == '?' || code == ':') {
            return refuse_flag(options, count, argv, code, error);
        }
        const Option *option = find_option(options, count, code);
        const char *typed = optarg ? optarg : "";
        if (value_is_flag(options, count, typed)) {
            return error_set(error, "--%s needs a value, and %s is a flag", option->name, typed);
        }
        if (!parse_value(option, typed, joined, error)) {
            return false;
        }
    }
    if (optind < argc) {
        return error_set(error, "\"%.100s\" is no flag; flags begin with -- (--help lists them)",
                         argv[optind]);
    }
    return true;
}
