#include "runner/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* --- In the child, before it becomes the program --- */

static void child_limit(int resource, long value, long grace) {
    struct rlimit bound = {(rlim_t)value, (rlim_t)(value + grace)};
    setrlimit(resource, &bound); /* best effort: a lower limit may be in force already */
}

static void child_environment(void) {
    /* cmocka and make are steered by these; the suite must mean the same everywhere. */
    static const char *const hidden[] = {"CMOCKA_MESSAGE_OUTPUT",
                                         "CMOCKA_XML_FILE",
                                         "CMOCKA_TEST_ABORT",
                                         "MAKEFLAGS",
                                         "MAKELEVEL",
                                         "MFLAGS"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        unsetenv(hidden[i]);
    }
    /* Several programs share the cores: their threads should sleep while they wait, and a machine
     * with 64 cores should not run 64 programs of 64 threads. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    setenv("OMP_NUM_THREADS", "2", 0);
}

/* A browser reserves address space by the terabyte and uses little of it: where a program is called
 * test_..._browser, its space is not limited. */
static bool starts_browser(const char *program) {
    static const char ending[] = "_browser";
    size_t size = strlen(program), length = sizeof ending - 1;
    return size > length && strcmp(program + size - length, ending) == 0;
}

static _Noreturn void child_run(const char *program, int output, const Limits *limits) {
    setsid(); /* a group of its own, and no terminal it could change or wait for */
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    for (int fd = 3; fd < 256; fd++) {
        close(fd);
    }
    child_limit(RLIMIT_CORE, 0, 0);
    child_limit(RLIMIT_FSIZE, 1L << 30, 0);
    child_limit(RLIMIT_CPU, limits->cpu, 2); /* SIGXCPU first, SIGKILL for who ignores it */
    if (limits->memory > 0 && !starts_browser(program)) {
        child_limit(RLIMIT_AS, limits->memory << 20, 0);
    }
    child_environment();
    execl(program, program, (char *)NULL);
    int problem = errno;
    dprintf(STDERR_FILENO, "cannot run it: %s\n", strerror(problem));
    _exit(problem == ENOENT ? EXEC_NOT_THERE : EXEC_FAILED);
}

/* --- In the runner --- */

static pid_t fork_patiently(void) {
    for (int tries = 0;; tries++) {
        pid_t pid = fork();
        if (pid >= 0 || errno != EAGAIN || tries == 50) {
            return pid;
        }
        usleep(100000); /* too many processes: some may end */
    }
}

bool job_start(Job *job, const char *program, const Limits *limits) {
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    *job = (Job){.program = program, .pipe = ends[0], .started = clock_seconds()};
    job->output = malloc(((size_t)limits->output << 10) + 1);
    fflush(stdout);
    pid_t pid = job->output != NULL ? fork_patiently() : -1;
    if (pid == 0) {
        child_run(program, ends[1], limits);
    }
    close(ends[1]);
    if (pid < 0) {
        int problem = errno;
        close(ends[0]);
        free(job->output);
        errno = problem;
        return false;
    }
    job->pid = pid;
    fcntl(job->pipe, F_SETFL, O_NONBLOCK);
    return true;
}

void job_kill(Job *job, const char *why, long number) {
    if (job->killed[0] == '\0') {
        snprintf(job->killed, sizeof job->killed, why, number);
    }
    kill(-job->pid, SIGKILL);
    kill(job->pid, SIGKILL); /* when it has not come as far as setsid() */
}

/* Takes what is in the pipe now; closes it at its end or at the limit. */
static void output_read(Job *job, const Limits *limits) {
    size_t room = (size_t)limits->output << 10;
    while (job->pipe >= 0) {
        char beyond;
        bool full = job->size == room;
        ssize_t got =
            read(job->pipe, full ? &beyond : job->output + job->size, full ? 1 : room - job->size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && errno == EAGAIN) {
            return;
        }
        if (got > 0 && !full) {
            job->size += (size_t)got;
            continue;
        }
        if (got > 0) {
            job_kill(job, "printed more than %ld KB", limits->output);
        }
        close(job->pipe);
        job->pipe = -1;
    }
}

void job_attend(Job *job, const Limits *limits) {
    output_read(job, limits);
    if (clock_seconds() - job->started > (double)limits->seconds) {
        job_kill(job, "timed out after %ld s", limits->seconds);
    }
}

/* Makes a string of it: a zero byte within would hide what comes behind. */
static void output_finish(Job *job) {
    for (size_t i = 0; i < job->size; i++) {
        job->output[i] = job->output[i] == '\0' ? '?' : job->output[i];
    }
    job->output[job->size] = '\0';
}

bool job_over(Job *job, const Limits *limits, int *status) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return false;
    }
    /* The group goes before its leader is reaped: until then nobody else can have its number. */
    kill(-job->pid, SIGKILL);
    waitpid(job->pid, status, 0);
    output_read(job, limits);
    if (job->pipe >= 0) {
        close(job->pipe);
    }
    output_finish(job);
    if (WIFSIGNALED(*status) && WTERMSIG(*status) == SIGXCPU && job->killed[0] == '\0') {
        snprintf(job->killed, sizeof job->killed, "timed out after %ld s of computing",
                 limits->cpu);
    }
    job->pid = 0;
    return true;
}
