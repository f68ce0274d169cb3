#include "lesson/several.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "core/check.h"
#include "core/threads.h"
#include "lesson/interrupt.h"
#include "lesson/record.h"
#include "lesson/spread.h"
#include "lesson/walkthrough.h"

enum { ADDED_WORDS = 6, NAME_SIZE = 48 };

/* "seed_3", the name of a seed's folder. */
static char *seed_folder(const Run *run, uint64_t seed) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "seed_%llu", (unsigned long long)seed);
    char *folder = path_join(run->flags.out, name);
    CHECK(folder != NULL, "out of memory");
    return folder;
}

/* ---- in the process of a seed ---- */

/* The command line that would run this seed alone: the later word wins. */
static void words_add(Run *run, const char *folder) {
    static char seed[32];
    char **words = check_alloc((size_t)(run->argc + ADDED_WORDS + 1) * sizeof *words);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->flags.seed);
    memcpy(words, run->argv, (size_t)run->argc * sizeof *words);
    char *added[ADDED_WORDS] = {"--runs", "1", "--seed", seed, "--out", (char *)folder};
    memcpy(words + run->argc, added, sizeof added);
    run->argv = words;
    run->argc += ADDED_WORDS;
}

/* Makes the run one of several: its own seed and folder, its prose unread, progress where the user
 * sees it. */
static void become_one(Run *run, int index, char *folder) {
    snprintf(run->which, sizeof run->which, "%d of %d", index + 1, run->flags.runs);
    run->flags.seed += (uint64_t)index;
    run->flags.out = folder;
    run->flags.runs = 1;
    words_add(run, folder);
    FILE *nowhere = fopen("/dev/null", "w");
    CHECK(nowhere != NULL, "/dev/null cannot be opened: %s", strerror(errno));
    run->term = terminal_new(nowhere, true);
    run->started = progress_clock();
}

static _Noreturn void child_run(Run *run, int index, char *folder, SeveralWork work) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody waits for it when the program itself is killed */
#endif
    if (folder) {
        become_one(run, index, folder);
    }
    int code = work.check(run);
    if (code == 0 && folder) {
        /* a Ctrl-C that came until now met the handler of the parent */
        code = interrupt_signal() != 0 ? 128 + interrupt_signal() : work.whole(run);
    }
    fflush(NULL);
    _exit(code);
}

/* ---- in the parent ---- */

/* Runs one seed (folder NULL: the check alone) and gives its exit code. */
static int child_code(Run *run, int index, char *folder, SeveralWork work) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        child_run(run, index, folder, work);
    }
    Error error = {""};
    if (child < 0) {
        error_set(&error, "no process for another run: %s", strerror(errno));
        run_input_error(run, &error);
        return 2;
    }
    int status = interrupt_wait(child, false);
    if (WIFSIGNALED(status)) {
        error_set(&error, "seed %llu was ended by a signal: %s",
                  (unsigned long long)run->flags.seed + (unsigned long long)index,
                  strsignal(WTERMSIG(status)));
        if (interrupt_signal() == 0) {
            run_input_error(run, &error);
        }
        return 2;
    }
    return WEXITSTATUS(status);
}

/* What a former run left there must not be taken for what this one found. */
static void forget_former(const char *folder) {
    static const char *const names[] = {"run.tsv", "claims.tsv"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        char *path = path_join(folder, names[i]);
        CHECK(path != NULL, "out of memory");
        remove(path);
        free(path);
    }
}

static bool check_flags(const Run *run, Error *error) {
    uint64_t more = (uint64_t)run->flags.runs - 1;
    if (run->flags.step) {
        return error_set(error,
                         "--runs %d: not together with --step: nobody sees the steps of "
                         "so many runs",
                         run->flags.runs);
    }
    return run->flags.seed <= UINT64_MAX - more ||
           error_set(error, "--runs %d: there are not so many seeds from %llu on", run->flags.runs,
                     (unsigned long long)run->flags.seed);
}

static void introduce(const Run *run) {
    char title[256];
    unsigned long long first = run->flags.seed;
    snprintf(title, sizeof title, "Lesson %s: %s\n", run->lesson->number, run->lesson->title);
    terminal_put(&run->term, STYLE_BOLD, title);
    terminal_prose(&run->term,
                   "The whole lesson %d times, with seeds %llu to %llu, each into a folder of its "
                   "own in %s.",
                   run->flags.runs, first, first + (unsigned long long)run->flags.runs - 1,
                   run->flags.out);
    if (!run->flags.quick && !run->flags.only && run->flags.steps == 0) {
        terminal_prose(&run->term, "Each takes %s.", run->lesson->duration);
    }
    terminal_print(&run->term, "\n");
}

/* Runs the seeds one after the other; how many ended as they should. */
static int seeds_run(Run *run, char **folders, SeveralWork work) {
    for (int i = 0; i < run->flags.runs; i++) {
        double started = progress_clock();
        terminal_print(&run->term, "run %d of %d: seed %llu\n", i + 1, run->flags.runs,
                       (unsigned long long)run->flags.seed + (unsigned long long)i);
        forget_former(folders[i]);
        int code = child_code(run, i, folders[i], work);
        if (run_stopped(run)) {
            return i;
        }
        if (code > 1) {
            run->broken_off = code == 3; /* it has said why */
            run->failed = code != 3;
            return i;
        }
        Error error = {""};
        double seconds = run->term.is_tty ? progress_clock() - started : -1;
        if (!spread_tell(run, folders[i], seconds, &error)) {
            run_input_error(run, &error);
            return i;
        }
    }
    return run->flags.runs;
}

static void tell_early_end(const Run *run, int whole) {
    terminal_prose(&run->term,
                   "\nEnded early (%s): %d of %d runs are whole. Nothing was written to %s itself.",
                   run_ending(run), whole, run->flags.runs, run->flags.out);
}

static int run_all(Run *run, SeveralWork work) {
    int count = run->flags.runs, code;
    char **folders = check_alloc((size_t)count * sizeof *folders);
    for (int i = 0; i < count; i++) {
        folders[i] = seed_folder(run, run->flags.seed + (uint64_t)i);
    }
    record_begin(run);
    interrupt_install(&run->term);
    introduce(run);
    int whole = seeds_run(run, folders, work);
    threads_set(run->flags.threads); /* for run.tsv; not before a fork */
    Error error = {""};
    if (whole < count) {
        tell_early_end(run, whole);
    } else if (spread_gather(run, (const char *const *)folders, count, &error)) {
        work.finish(run);
    } else {
        run_input_error(run, &error);
    }
    code = work.code(run);
    interrupt_remove();
    for (int i = 0; i < count; i++) {
        free(folders[i]);
    }
    free(folders);
    return code;
}

int several_run(Run *run, SeveralWork work) {
    Error error = {""};
    if (!check_flags(run, &error)) {
        run_input_error(run, &error);
        return 2;
    }
    int code = child_code(run, 0, NULL, work);
    return code != 0 ? code : run_all(run, work);
}
