/* A test program while it runs: its own session and process group, no terminal, limits, and a pipe
 * that takes what it prints. */
#ifndef TESTS_RUNNER_PROCESS_H
#define TESTS_RUNNER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Exit statuses of a child that never became the program; cmocka's own stay below 126 in practice,
 * and the runner looks at the file as well before it believes them. */
enum { EXEC_FAILED = 126, EXEC_NOT_THERE = 127 };

typedef struct Limits {
    long seconds; /* by the clock on the wall */
    long cpu;     /* of computing, for each process: a machine that is busy does not use it up */
    long memory; /* address space in MB; 0: no limit (sanitizers need none); nor has a program whose
                    name ends in _browser one */
    long output; /* what it may print, in KB */
} Limits;

typedef struct Job {
    const char *program;
    pid_t pid; /* also its process group; 0: nothing runs here */
    int pipe;  /* its stdout and stderr; -1 once closed */
    double started;
    char *output;    /* what it printed so far; malloc'd, released by the caller */
    size_t size;     /* bytes of it */
    char killed[64]; /* why we ended it, or empty */
} Job;

/* Seconds on a clock that only goes forward. */
double clock_seconds(void);

/* Starts the program in this slot. False when the machine has no process or memory left for it. */
bool job_start(Job *job, const char *program, const Limits *limits);

/* Takes what it has printed; ends the program when that is too much or its time is over. */
void job_attend(Job *job, const Limits *limits);

/* Ends the program and everything in its group. The first reason is kept; it may hold a %ld. */
void job_kill(Job *job, const char *why, long number);

/* Is the program over? Then also ends what it left behind, collects its last words (a string from
 * here on), gives its wait status and frees the slot: job->pid is 0. */
bool job_over(Job *job, const Limits *limits, int *status);

#endif
