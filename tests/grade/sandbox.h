/* One program that is not trusted, run in a process of its own.
 *
 * Always: no terminal, a new session, an empty environment, nothing open but what is named here,
 * limits on time, computing, memory, files and output; as the user `nobody` when started by root.
 *
 * Sealed, as student code runs: besides, the kernel (seccomp) refuses everything but reading what
 * is open, writing to what is open, memory that cannot be executed, clocks and ending. It can open
 * no file for reading or writing, start no process or thread, run no other program, use no network,
 * and send no signal but to itself. What is forbidden and cannot be an accident ends it (SIGSYS).
 * Sealing needs Linux on x86-64 or arm64, and a program without shared libraries. */
#ifndef GRADE_SANDBOX_H
#define GRADE_SANDBOX_H

#include "io/file.h"

typedef struct SandboxLimits {
    double seconds; /* by the clock on the wall */
    long cpu;       /* seconds of computing */
    long memory;    /* address space, MB */
    long file;      /* largest file it may write, MB; sealed programs cannot write any */
    size_t said;    /* bytes on stdout and stderr */
    size_t answer;  /* bytes on file descriptor 3 */
    bool sealed;
} SandboxLimits;

typedef struct SandboxRun {
    int status;        /* as waitpid() gives it */
    const char *ended; /* why we ended it: "out of time", "said too much"; NULL: it ended itself */
    char *said, *answer;
    size_t said_size, answer_size;
} SandboxRun;

/* Can programs be sealed on this machine? */
bool sandbox_can_seal(void);

/* Runs argv[0] (a path, or a name on PATH when not sealed) in `folder`, gives it `input` to read,
 * and waits for its end. False with an error when it could not be started at all. `said` ends with
 * a NUL that is not counted. Release with sandbox_free(). */
bool sandbox_run(const char *const *argv, const char *folder, const void *input, size_t input_size,
                 const SandboxLimits *limits, SandboxRun *run, Error *error);
void sandbox_free(SandboxRun *run);

/* Hands a folder over to the user that untrusted programs run as (nothing to do unless root). */
bool sandbox_give(const char *folder, Error *error);

#endif
