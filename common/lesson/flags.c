#include "lesson/flags.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "lesson/walkthrough.h"

/* ---- the table ---- */

static void check_taken(const Option *table, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            CHECK(strcmp(table[i].name, table[j].name) != 0, "two options are called --%s",
                  table[i].name);
            CHECK(table[i].letter == 0 || table[i].letter != table[j].letter,
                  "--%s and --%s are both called -%c", table[i].name, table[j].name,
                  table[i].letter);
        }
    }
}

int flags_table(const Lesson *lesson, Flags *flags, Option *table) {
    const Option common[] = {
        OPTION_FLAG("help", 'h', &flags->help, "show this page"),
        OPTION_FLAG("list", 'l', &flags->list, "list the steps and the mistakes of the lesson"),
        OPTION_FLAG("notes", 0, &flags->notes,
                    "for teachers: what to ask at each step, and what is often answered"),
        OPTION_SEED("seed", 's', &flags->seed, "seed of all random numbers"),
        OPTION_INT("runs", 0, &flags->runs, 1, 100,
                   "so many runs with seeds from --seed on, and how far they differ"),
        OPTION_INT("steps", 'n', &flags->steps, 1, 100000000,
                   "steps of every training; without it, as many as each needs"),
        OPTION_FLAG("quick", 'q', &flags->quick, "everything small, in 3 s, to look around"),
        OPTION_TEXT("out", 'o', &flags->out, "DIR", "folder for pictures and tables"),
        OPTION_FLAG("step", 'p', &flags->step, "pause after each step until Enter"),
        OPTION_LIST("only", 0, &flags->only, "STEP",
                    "run these steps only: 3.2 or 3.1,3.3 (what they need runs silently)"),
        OPTION_INT("threads", 't', &flags->threads, 1, 256,
                   "same results; more help a little while the machine is idle"),
        OPTION_TEXT("break", 'b', &flags->break_name, "NAME",
                    "make a classic mistake and see what it does (--list names them)"),
        OPTION_FLAG("check-finite", 0, &flags->check_finite,
                    "stop at the first operation that yields nan or inf"),
        OPTION_FLAG("no-plots", 0, &flags->no_plots, "write numbers only, draw nothing"),
        OPTION_FLAG("no-color", 0, &flags->no_color, "plain text, like NO_COLOR=1"),
        OPTION_TEXT("save", 0, &flags->save, "FILE",
                    "keep the trained weights there (NAME.safetensors)"),
        OPTION_FILE("load", 0, &flags->load, "FILE",
                    "train nothing: take the weights that --save has kept"),
        OPTION_TEXT("repeat", 0, &flags->repeat, "DIR",
                    "make the run in that folder again: do the bits agree?"),
    };
    int count = COUNT_OF(common) + lesson->option_count;
    CHECK(count <= FLAGS_MAX_OPTIONS, "lesson %s has %d options of its own, room is for %d",
          lesson->number, lesson->option_count, FLAGS_MAX_OPTIONS - COUNT_OF(common));
    memcpy(table, common, sizeof common);
    for (int i = 0; i < lesson->option_count; i++) {
        table[COUNT_OF(common) + i] = lesson->options[i];
    }
    check_taken(table, count);
    return count;
}

/* ---- --only ---- */

/* The next name of a comma list, without the spaces around it; NULL behind the last. */
static const char *next_name(const char **list, size_t *size) {
    const char *name = *list;
    if (!name) {
        return NULL;
    }
    size_t length = strcspn(name, ",");
    *list = name[length] ? name + length + 1 : NULL;
    size_t lead = strspn(name, " ");
    lead = lead < length ? lead : length;
    name += lead;
    length -= lead;
    while (length > 0 && name[length - 1] == ' ') {
        length--;
    }
    *size = length;
    return name;
}

/* "2.3" stands for itself and "2" for all of 2.1, 2.2 ... */
static bool name_means(const char *name, size_t size, const char *number) {
    return size > 0 && strncmp(name, number, size) == 0 &&
           (number[size] == '\0' || number[size] == '.');
}

bool flags_select(const Flags *flags, const char *step_number) {
    const char *list = flags->only, *name;
    size_t size;
    if (!list) {
        return true;
    }
    while ((name = next_name(&list, &size))) {
        if (name_means(name, size, step_number)) {
            return true;
        }
    }
    return false;
}

static bool check_only(const Lesson *lesson, const Flags *flags, Error *error) {
    const char *list = flags->only, *name;
    size_t size;
    while ((name = next_name(&list, &size))) {
        bool found = false;
        for (int i = 0; i < lesson->step_count; i++) {
            found = found || name_means(name, size, lesson->steps[i].number);
        }
        if (!found) {
            char known[256] = "";
            for (int i = 0; i < lesson->step_count; i++) {
                size_t used = strlen(known);
                snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                         lesson->steps[i].number);
            }
            int shown = size < 60 ? (int)size : 60;
            return error_set(error, "--only %.*s: %s; allowed: %s", shown, name,
                             size > 0 ? "no such step" : "an empty name", known);
        }
    }
    return true;
}

/* ---- --break ---- */

static bool check_break(const Lesson *lesson, const Flags *flags, Error *error) {
    char known[320] = "";
    const char *names[64];
    CHECK(lesson->mistake_count <= COUNT_OF(names), "lesson %s has too many mistakes",
          lesson->number);
    for (int i = 0; i < lesson->mistake_count; i++) {
        names[i] = lesson->mistakes[i].name;
        if (strcmp(names[i], flags->break_name) == 0) {
            return true;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (lesson->mistake_count == 0) {
        return error_set(error, "--break %.60s: this lesson has no mistakes to make",
                         flags->break_name);
    }
    const char *close = closest_word(flags->break_name, names, lesson->mistake_count);
    return error_set(error, "--break %.60s: no such mistake%s%s%s allowed: %s", flags->break_name,
                     close ? "; did you mean " : ";", close ? close : "", close ? "?" : "", known);
}

/* ---- flags that do not go together ---- */

/* Says why, and what to do instead. */
static bool check_runs(const Flags *flags, Error *error) {
    int runs = flags->runs;
    if (runs > 1 && flags->save != NULL) {
        return error_set(error,
                         "--runs %d: not together with --save: each seed trains models of its own, "
                         "and a file holds those of one; save that of a seed: --seed %llu --save "
                         "%.200s",
                         runs, (unsigned long long)flags->seed, flags->save);
    }
    if (runs > 1 && flags->load != NULL) {
        return error_set(
            error,
            "--runs %d: not together with --load: a file holds the models of one seed, "
            "so nothing would differ; leave --runs out",
            runs);
    }
    return runs == 1 || flags->repeat == NULL ||
           error_set(error,
                     "--runs %d: not together with --repeat, which makes one run again; for a run "
                     "of several seeds name the folder of one: --repeat DIR/seed_%llu",
                     runs, (unsigned long long)flags->seed);
}

/* ---- parsing ---- */

bool flags_parse(const Lesson *lesson, Flags *flags, int argc, char **argv, Error *error) {
    *flags = (Flags){.seed = 1, .threads = 1, .runs = 1};
    size_t size = strlen(lesson->number) + strlen(lesson->name) + sizeof "plots/_";
    flags->out_default = check_alloc(size);
    snprintf(flags->out_default, size, "plots/%s_%s", lesson->number, lesson->name);
    flags->out = flags->out_default;

    Option table[FLAGS_MAX_OPTIONS];
    int count = flags_table(lesson, flags, table);
    for (int i = 0; i < count; i++) {
        option_value_text(&table[i], flags->defaults[i], FLAGS_TEXT_SIZE);
    }
    if (!options_parse(table, count, argc, argv, &flags->only_joined, error)) {
        return false;
    }
    if (flags->help || flags->list) {
        return true;
    }
    return check_runs(flags, error) && (!flags->only || check_only(lesson, flags, error)) &&
           (!flags->break_name || check_break(lesson, flags, error));
}

void flags_free(Flags *flags) {
    free(flags->out_default);
    free(flags->only_joined);
    flags->out_default = flags->only_joined = NULL;
}
