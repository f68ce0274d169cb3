/* Runs test programs and tells the truth about them.
 *
 *     run_tests [--jobs N] [--seconds S] [--cpu S] [--memory MB] [--output KB] PROGRAM...
 *
 * Each program is a cmocka program; it runs in a session and process group of its own with a time
 * limit, and what it prints is kept in PROGRAM.log. What became of its tests is read from that
 * output and from the way the program ended, and both must agree: one that crashes, never ends,
 * calls exit(0) half-way or leaves processes behind is a failure, and no danger to the others.
 *
 * The last line is "12 passed, 0 failed", counting tests; a program that died is one failure.
 * Exit status: 0 only when something passed and nothing failed, 1 otherwise, 2 for wrong use,
 * 128 + signal when interrupted. */
#include "runner/process.h"
#include "runner/verdict.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 256 };

typedef struct Options {
    long jobs; /* programs at once */
    Limits limits;
} Options;

static volatile sig_atomic_t interrupted; /* the signal that asks us to stop, or 0 */

static void note_signal(int number) {
    interrupted = number;
}

static void log_write(const Job *job) {
    char path[4096];
    snprintf(path, sizeof path, "%s.log", job->program);
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fwrite(job->output, 1, job->size, file) == job->size;
    if (file == NULL || fclose(file) != 0 || !written) {
        fprintf(stderr, "run_tests: %s could not be written: %s\n", path, strerror(errno));
    }
}

static void job_report(Job *job, int status, Totals *totals) {
    if (access(job->program, F_OK) == 0) {
        log_write(job);
    }
    Ending ending = {.program = job->program,
                     .output = job->output,
                     .killed = job->killed,
                     .status = status,
                     .seconds = clock_seconds() - job->started};
    ending_judge(&ending, totals);
    free(job->output);
}

/* Waits until something happens, for 20 ms at most, and attends to every program. */
static void jobs_attend(Job *jobs, const Options *options, Totals *totals) {
    struct pollfd waits[MAX_JOBS];
    for (long i = 0; i < options->jobs; i++) {
        waits[i] = (struct pollfd){.fd = jobs[i].pid != 0 ? jobs[i].pipe : -1, .events = POLLIN};
    }
    poll(waits, (nfds_t)options->jobs, 20);
    for (long i = 0; i < options->jobs; i++) {
        int status;
        if (jobs[i].pid != 0) {
            job_attend(&jobs[i], &options->limits);
            if (job_over(&jobs[i], &options->limits, &status)) {
                job_report(&jobs[i], status, totals);
            }
        }
    }
}

/* Starts the next programs where there is room; gives the number that run now. */
static int jobs_fill(Job *jobs, char **programs, int count, int *next, const Options *options) {
    int running = 0;
    for (long i = 0; i < options->jobs; i++) {
        if (jobs[i].pid == 0 && *next < count && !interrupted) {
            if (!job_start(&jobs[i], programs[*next], &options->limits)) {
                fprintf(stderr, "run_tests: cannot start %s: %s\n", programs[*next],
                        strerror(errno));
                interrupted = SIGTERM; /* no verdict without all of them */
            }
            ++*next;
        }
        running += jobs[i].pid != 0;
    }
    return running;
}

static void run_all(char **programs, int count, const Options *options, Totals *totals) {
    Job jobs[MAX_JOBS] = {0};
    int next = 0;
    while (jobs_fill(jobs, programs, count, &next, options) > 0 && !interrupted) {
        jobs_attend(jobs, options, totals);
    }
    for (long i = 0; i < options->jobs; i++) {
        if (jobs[i].pid != 0) {
            job_kill(&jobs[i], "interrupted", 0);
            waitpid(jobs[i].pid, NULL, 0);
            free(jobs[i].output);
        }
    }
}

static long number(const char *option, long low, long high) {
    char *end;
    errno = 0;
    long value = strtol(optarg, &end, 10);
    if (errno != 0 || end == optarg || *end != '\0' || value < low || value > high) {
        fprintf(stderr, "run_tests: --%s %s: a number from %ld to %ld is needed\n", option, optarg,
                low, high);
        exit(2);
    }
    return value;
}

static Options options_read(int argc, char **argv) {
    static const struct option known[] = {
        {"jobs", required_argument, NULL, 'j'},   {"seconds", required_argument, NULL, 's'},
        {"cpu", required_argument, NULL, 'c'},    {"memory", required_argument, NULL, 'm'},
        {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    Options options = {.jobs = cores < 1          ? 1
                               : cores > MAX_JOBS ? MAX_JOBS
                                                  : cores,
                       .limits = {.seconds = 300, .cpu = 100, .memory = 0, .output = 4096}};
    for (int flag; (flag = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (flag == 'j') {
            options.jobs = number("jobs", 1, MAX_JOBS);
        } else if (flag == 's') {
            options.limits.seconds = number("seconds", 1, 1000000);
        } else if (flag == 'c') {
            options.limits.cpu = number("cpu", 1, 1000000);
        } else if (flag == 'm') {
            options.limits.memory = number("memory", 0, 1L << 30);
        } else if (flag == 'o') {
            options.limits.output = number("output", 1, 1L << 20);
        } else {
            exit(2);
        }
    }
    return options;
}

int main(int argc, char **argv) {
    Options options = options_read(argc, argv);
    if (optind == argc) {
        fprintf(stderr, "run_tests: no test programs were given\n");
        return 2;
    }
    struct sigaction action = {.sa_handler = note_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    Totals totals = {0};
    run_all(argv + optind, argc - optind, &options, &totals);
    if (interrupted) {
        printf("stopped by %s\n", signal_name(interrupted));
        return 128 + interrupted;
    }
    if (totals.skipped > 0) {
        printf("%ld skipped\n", totals.skipped);
    }
    printf("%ld passed, %ld failed\n", totals.passed, totals.failed);
    return totals.failed == 0 && totals.passed > 0 ? 0 : 1;
}
