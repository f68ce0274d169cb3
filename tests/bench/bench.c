/* The benchmark: build/bench [threads] [workload ...]
 *
 * One line for each workload, "name<TAB>median ms<TAB>peak_rss N MiB", the form of a PyTorch script
 * of the same workloads (which is no part of this repository): run both, one after the other, on an
 * idle machine, and compare by ratio. Peak memory never falls within a process, so compare memory
 * with one workload at a time.
 *
 * Four more names print tables: "matmul" matrix products, "threads" what a second thread brings
 * (both beside OpenBLAS where the library was there at build time), "limits" the workloads beside
 * the least they could take on this machine, "memory" what attention needs as sequences grow. */
#include "workload.h"

#include "core/threads.h"
#include "lesson/streams.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_SAMPLES = 1 << 16, MIN_SAMPLES = 3, WARM_UP = 2 };
static const double MIN_SECONDS = 2.0;

static long peak_rss_mib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return usage.ru_maxrss >> 20; /* bytes there */
#else
    return usage.ru_maxrss >> 10; /* KiB here */
#endif
}

double workload_time(const Workload *workload, double seconds) {
    static double samples[MAX_SAMPLES];
    void *state = workload->set_up();
    for (int i = 0; i < WARM_UP; i++) {
        workload->step(state);
    }
    double begin = bench_clock();
    int n = 0;
    while (n < MAX_SAMPLES && (n < MIN_SAMPLES || bench_clock() - begin < seconds)) {
        double start = bench_clock();
        workload->step(state);
        samples[n++] = bench_clock() - start;
    }
    workload->tear_down(state);
    return bench_median(samples, n);
}

static void run_workload(const Workload *workload) {
    double seconds = workload_time(workload, MIN_SECONDS);
    printf("%s\t%.3f ms\tpeak_rss %ld MiB\n", workload->name, 1e3 * seconds, peak_rss_mib());
    fflush(stdout);
}

const Workload *workload_at(int n) {
    static const Workload *const tables[] = {recurrent_workloads, attention_workloads,
                                             transformer_workloads};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const Workload *workload = tables[i]; workload->name != NULL; workload++) {
            if (n-- == 0) {
                return workload;
            }
        }
    }
    return NULL;
}

const Workload *workload_named(const char *name) {
    const Workload *workload = NULL;
    for (int n = 0; (workload = workload_at(n)) != NULL; n++) {
        if (strcmp(workload->name, name) == 0) {
            return workload;
        }
    }
    return NULL;
}

static void print_threads(int threads) {
    (void)threads; /* it tries one and two */
    bench_threads();
}

static void print_memory(int threads) {
    (void)threads;
    bench_memory();
}

typedef struct Report {
    const char *name;
    void (*print)(int threads);
} Report;

static const Report reports[] = {{"matmul", bench_matmul},
                                 {"limits", bench_limits},
                                 {"threads", print_threads},
                                 {"memory", print_memory}};
enum { REPORTS = sizeof reports / sizeof *reports };

static const Report *find_report(const char *name) {
    for (int i = 0; i < REPORTS; i++) {
        if (strcmp(reports[i].name, name) == 0) {
            return &reports[i];
        }
    }
    return NULL;
}

static void print_known(FILE *out) {
    for (int i = 0; i < REPORTS; i++) {
        fprintf(out, "%s%s", i > 0 ? ", " : "", reports[i].name);
    }
    const Workload *workload = NULL;
    for (int n = 0; (workload = workload_at(n)) != NULL; n++) {
        fprintf(out, ", %s", workload->name);
    }
    fprintf(out, "\n");
}

/* The exit code of somebody who has said everything: 0, or 2 where it could not be written. */
static int end_output(void) {
    if (!streams_finish()) {
        fprintf(stderr, "bench: standard output could not be written: %s\n", strerror(errno));
        return 2;
    }
    return 0;
}

static int usage(void) {
    printf("usage: bench [threads] [workload ...]\nknown workloads: ");
    print_known(stdout);
    return end_output();
}

/* The first argument, if it is a whole number; returns how many arguments it took (0 or 1), or -1
 * after an error. */
static int read_threads(int argc, char **argv, int *threads) {
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 0;
    if (argc < 2 || end == argv[1] || *end != '\0') {
        return 0;
    }
    if (n < 1 || n > 256) {
        fprintf(stderr, "bench: %s threads: a number from 1 to 256 is needed\n", argv[1]);
        return -1;
    }
    *threads = (int)n;
    return 1;
}

int main(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        return usage();
    }
    int threads = 0, taken = read_threads(argc, argv, &threads);
    if (taken < 0) {
        return 2;
    }
    for (int i = 1 + taken; i < argc; i++) {
        if (find_report(argv[i]) == NULL && workload_named(argv[i]) == NULL) {
            fprintf(stderr, "bench: unknown workload %s; known are ", argv[i]);
            print_known(stderr);
            return 2;
        }
    }
    threads_set(threads);
    for (int i = 1 + taken; i < argc; i++) {
        const Report *report = find_report(argv[i]);
        if (report != NULL) {
            report->print(threads_count());
        } else {
            run_workload(workload_named(argv[i]));
        }
    }
    const Workload *workload = NULL;
    for (int n = 0; argc == 1 + taken && (workload = workload_at(n)) != NULL; n++) {
        run_workload(workload);
    }
    return end_output();
}
