#include "lesson/repeat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/check.h"
#include "lesson/flag_words.h"
#include "lesson/record.h"
#include "lesson/repeat_compare.h"
#include "lesson/walkthrough.h"
#include "show/run_folder.h"

/* ---- may it be repeated? ---- */

/* Beside --repeat only those stand that do not change what is computed. */
static bool check_alone(Run *run, Error *error) {
    static const char *const welcome[] = {"repeat", "out", "threads", "no-color"};
    Option table[FLAGS_MAX_OPTIONS];
    char value[FLAGS_TEXT_SIZE];
    int count = flags_table(run->lesson, &run->flags, table);
    for (int i = 0; i < count; i++) {
        bool fine = false;
        for (int k = 0; k < COUNT_OF(welcome); k++) {
            fine = fine || strcmp(table[i].name, welcome[k]) == 0;
        }
        option_value_text(&table[i], value, sizeof value);
        if (!fine && strcmp(value, run->flags.defaults[i]) != 0) {
            return error_set(error,
                             "--repeat takes the flags of that run: --%s does not go with it; "
                             "--out, --threads and --no-color do",
                             table[i].name);
        }
    }
    return true;
}

static bool open_record(const Run *run, TsvTable *record, Error *error) {
    Error problem = {""};
    return run_record_read(run->flags.repeat, record, &problem) ||
           error_set(error, "%s: no folder of a run: %s", run->flags.repeat, problem.text);
}

static bool check_record(const Run *run, const TsvTable *record, Error *error) {
    const char *folder = run->flags.repeat, *lesson = tsv_value(record, "lesson");
    const char *ending = tsv_value(record, "stopped_by"), *code = tsv_value(record, "exit_code");
    char here[64];
    snprintf(here, sizeof here, "%s_%s", run->lesson->number, run->lesson->name);
    if (lesson == NULL || ending == NULL || code == NULL || tsv_value(record, "flags") == NULL) {
        return error_set(error, "%s: no folder of a run: its run.tsv is not that of a lesson",
                         folder);
    }
    if (strcmp(lesson, here) != 0) {
        return error_set(error, "%s: a run of lesson %.60s, and this is %s", folder, lesson, here);
    }
    if (strcmp(ending, "-") != 0) {
        return error_set(error,
                         "%s: this run ended early (%.60s): there is nothing to compare with",
                         folder, ending);
    }
    if (strcmp(code, "0") != 0 && strcmp(code, "1") != 0) {
        return error_set(error, "%s: not all files of this run could be written (exit code %.20s)",
                         folder, code);
    }
    if (tsv_value(record, "files") == NULL) {
        return error_set(error,
                         "%s: its run.tsv does not say which files it has written: the lesson "
                         "was an older version",
                         folder);
    }
    return true;
}

/* The files it has read must be there, and the same. */
static bool check_inputs(const Run *run, const TsvTable *record, Error *error) {
    size_t length = strlen(RECORD_CHECKSUM);
    for (int row = 0; row < record->rows; row++) {
        const char *key = tsv_cell(record, row, 0), *path;
        char sum[17];
        if (strncmp(key, RECORD_CHECKSUM, length) != 0 ||
            (path = tsv_value(record, key + length)) == NULL) {
            continue;
        }
        if (!file_checksum(path, sum, error)) {
            return false;
        }
        if (strcmp(sum, tsv_cell(record, row, 1)) != 0) {
            return error_set(error, "%s: has changed since %s was made with it", path,
                             run->flags.repeat);
        }
    }
    return true;
}

/* ---- where it goes ---- */

static bool same_folder(const char *a, const char *b) {
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

/* The folder given with --out, or a temporary one, in `out`. */
static bool choose_folder(const Run *run, char *out, size_t size, Error *error) {
    if (run->flags.out != run->flags.out_default) {
        snprintf(out, size, "%s", run->flags.out);
        return !same_folder(out, run->flags.repeat) ||
               error_set(error, "--out %s: that is the run to be repeated; its files are needed",
                         out);
    }
    const char *temporary = getenv("TMPDIR");
    snprintf(out, size, "%s/attend-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    return mkdtemp(out) != NULL ||
           error_set(error, "%s: no temporary folder can be made: %s", out, strerror(errno));
}

/* ---- the run ---- */

static int run_again(Run *run, const TsvTable *record, const char *out, bool temporary,
                     int (*again)(const Lesson *lesson, int argc, char **argv,
                                  const RepeatedWith *with),
                     Error *error) {
    int count = 0, code = 2;
    char **words = flag_words(tsv_value(record, "flags"), &count);
    if (words == NULL) {
        error_set(error, "%s: the flags in its run.tsv cannot be read", run->flags.repeat);
        return code;
    }
    char **argv = check_alloc((size_t)(count + 2) * sizeof *argv), **mine = NULL;
    argv[0] = run->argv[0];
    memcpy(argv + 1, words, (size_t)count * sizeof *words);
    mine = check_alloc((size_t)(count + 2) * sizeof *mine); /* argv gets sorted */
    memcpy(mine, argv, (size_t)(count + 1) * sizeof *argv);
    RepeatedWith with = {out, run->flags.threads, run->flags.no_color, temporary};
    code = again(run->lesson, count + 1, argv, &with);
    for (int i = 1; i <= count; i++) {
        free(mine[i]);
    }
    free(mine);
    free(argv);
    free(words);
    return code;
}

static int repeat_into(Run *run, const TsvTable *before, const char *out,
                       int (*again)(const Lesson *lesson, int argc, char **argv,
                                    const RepeatedWith *with),
                       Error *error) {
    bool temporary = run->flags.out == run->flags.out_default;
    TsvTable now;
    int code = run_again(run, before, out, temporary, again, error);
    if (code > 1 || !run_record_read(out, &now, error)) {
        if (temporary) { /* Ctrl-C, or a full disk: half a run, in which nobody will look */
            folder_discard(out);
        }
        if (temporary && code >= 128) {
            terminal_prose(&run->term, "Of this repetition nothing is kept; %s is as it was.",
                           run->flags.repeat);
        }
        return code > 1 ? code : 2;
    }
    bool agree = repeat_compare(&run->term, run->flags.repeat, before, out, &now);
    if (!temporary) {
        terminal_prose(&run->term, "The files of the repetition are in %s.", out);
    } else if (agree) {
        folder_discard(out);
    } else {
        terminal_prose(&run->term, "To be looked at: the files of the repetition, in %s.", out);
    }
    tsv_free(&now);
    return agree ? 0 : 1;
}

int repeat_run(Run *run, int (*again)(const Lesson *lesson, int argc, char **argv,
                                      const RepeatedWith *with)) {
    Error error = {""};
    TsvTable record = {0};
    char out[4096];
    int code = 2;
    bool ok = check_alone(run, &error) && open_record(run, &record, &error) &&
              check_record(run, &record, &error) && check_inputs(run, &record, &error) &&
              choose_folder(run, out, sizeof out, &error);
    if (ok) {
        code = repeat_into(run, &record, out, again, &error);
    }
    if (*error.text) {
        run_input_error(run, &error);
    }
    tsv_free(&record);
    return code;
}
