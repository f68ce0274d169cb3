#define _GNU_SOURCE /* pipe2, setgroups */
#include "grade/sandbox.h"

#include "core/check.h"
#include "grade/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROGRAM = 200 /* the descriptor of a sealed program */, ANSWERS = 3, PROCESSES = 256 };

/* The two ends of the three pipes: what we write is input, what we read is said and answers. */
typedef struct Pipes {
    int input[2], said[2], answer[2];
} Pipes;

bool sandbox_can_seal(void) {
    return seal_available();
}

/* The user that untrusted programs run as, or 0 when we are not root and cannot choose. */
static uid_t other_user(gid_t *group) {
    /* cppcheck-suppress getpwnamCalled */
    struct passwd *nobody = geteuid() == 0 ? getpwnam("nobody") : NULL;
    if (nobody != NULL) {
        *group = nobody->pw_gid;
    }
    return nobody != NULL ? nobody->pw_uid : 0;
}

bool sandbox_give(const char *folder, Error *error) {
    gid_t group = 0;
    uid_t user = other_user(&group);
    if (geteuid() == 0 && user == 0) {
        return error_set(error, "there is no user `nobody`, and as root student code must not run");
    }
    return user == 0 || chown(folder, user, group) == 0 ||
           error_set(error, "%s: %s", folder, strerror(errno));
}

/* --- In the child --- */

static void limit(int resource, long value) {
    struct rlimit bound = {(rlim_t)value, (rlim_t)value};
    setrlimit(resource, &bound); /* best effort: a lower limit may be in force already */
}

static void limit_all(const SandboxLimits *limits) {
    limit(RLIMIT_CORE, 0);
    struct rlimit computing = {(rlim_t)limits->cpu, (rlim_t)limits->cpu + 1};
    setrlimit(RLIMIT_CPU, &computing); /* SIGXCPU first, SIGKILL for who ignores it */
    limit(RLIMIT_AS, limits->memory << 20);
    limit(RLIMIT_FSIZE, limits->sealed ? 0 : limits->file << 20);
    limit(RLIMIT_STACK, 64L << 20);
    limit(RLIMIT_NOFILE, limits->sealed ? 16 : 256);
    if (geteuid() == 0) { /* of the user it becomes; our own user has other processes */
        limit(RLIMIT_NPROC, PROCESSES);
    }
}

/* Who it is, was looked up before: from here on there may be no memory to do so. */
static bool become(uid_t user, gid_t group) {
    return geteuid() != 0 || (user != 0 && setgroups(0, NULL) == 0 && setgid(group) == 0 &&
                              setuid(user) == 0 && setuid(0) != 0);
}

static void close_all(unsigned first, unsigned last) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, last, 0) == 0) {
        return;
    }
#endif
    for (unsigned fd = first; fd <= last && fd < 65536; fd++) {
        close((int)fd);
    }
}

/* Standard input, what is said, and what is answered; nothing else stays open. */
static void connect_pipes(const Pipes *pipes, int program) {
    dup2(pipes->input[0], STDIN_FILENO);
    dup2(pipes->said[1], STDOUT_FILENO);
    dup2(pipes->said[1], STDERR_FILENO);
    if (program >= 0) {
        dup3(program, PROGRAM, O_CLOEXEC);
    }
    dup2(pipes->answer[1], ANSWERS);
    close_all(ANSWERS + 1, PROGRAM - 1);
    close_all(program >= 0 ? PROGRAM + 1 : PROGRAM, ~0u);
}

typedef struct Start {
    const char *const *argv;
    const char *folder;
    const SandboxLimits *limits;
    int program; /* open, if it is to be sealed; -1 otherwise */
    uid_t user;
    gid_t group;
} Start;

static _Noreturn void child_run(const Start *start, const Pipes *pipes) {
    const char *const *argv = start->argv;
    static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin", locale[] = "LC_ALL=C",
                threads[] = "OMP_NUM_THREADS=1", temporary[] = "TMPDIR=../obj";
    char *environment[] = {path, locale, threads, temporary, NULL};
    setsid();
    connect_pipes(pipes, start->program);
    if (chdir(start->folder) == 0 &&
        (limit_all(start->limits), become(start->user, start->group))) {
        prctl(PR_SET_DUMPABLE, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* now: becoming somebody else clears it */
        if (start->limits->sealed) {
            seal_and_run(PROGRAM, (char *const *)argv, environment);
        } else {
            execvpe(argv[0], (char *const *)argv, environment);
        }
    }
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* --- In the parent --- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What a program writes, kept in memory that grows with it. */
typedef struct Stream {
    int fd; /* -1: closed */
    char *bytes;
    size_t size, room, most;
    const char *why; /* it is ended when it writes more than `most` */
} Stream;

typedef struct Watch {
    pid_t pid;
    int input; /* -1: closed */
    const char *bytes;
    size_t left; /* of the input */
    Stream said, answer;
    double end;
    SandboxRun *run;
} Watch;

static void end_it(Watch *w, const char *why) {
    if (w->run->ended == NULL) {
        w->run->ended = why;
    }
    kill(-w->pid, SIGKILL);
    kill(w->pid, SIGKILL); /* when it has not come as far as setsid() */
}

static void make_room(Stream *from) {
    if (from->size == from->room && from->room < from->most) {
        from->room = 2 * from->room < from->most ? 2 * from->room : from->most;
        from->bytes = realloc(from->bytes, from->room + 1);
        CHECK(from->bytes != NULL, "out of memory");
    }
}

/* Takes what is there; one byte more than allowed ends the program. */
static void take(Watch *w, Stream *from) {
    char beyond;
    make_room(from);
    bool full = from->size == from->most;
    ssize_t got = read(from->fd, full ? &beyond : from->bytes + from->size,
                       full ? 1 : from->room - from->size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (got > 0 && !full) {
        from->size += (size_t)got;
        return;
    }
    if (got > 0) {
        end_it(w, from->why);
    }
    close(from->fd);
    from->fd = -1;
}

static void give(Watch *w) {
    ssize_t gave = w->left > 0 ? write(w->input, w->bytes, w->left) : 0;
    if (gave > 0) {
        w->bytes += gave;
        w->left -= (size_t)gave;
    }
    if (w->left == 0 || (gave < 0 && errno != EAGAIN && errno != EINTR)) {
        close(w->input); /* all given, or it does not want more */
        w->input = -1;
    }
}

/* Gives and takes until both of its outputs are closed, or its time is over. */
static void attend(Watch *w) {
    SandboxRun *run = w->run;
    while (w->said.fd >= 0 || w->answer.fd >= 0) {
        struct pollfd fds[] = {
            {w->input, POLLOUT, 0}, {w->said.fd, POLLIN, 0}, {w->answer.fd, POLLIN, 0}};
        double left = w->end - now();
        if (left <= 0.0 || run->ended != NULL) {
            end_it(w, "out of time");
            return;
        }
        poll(fds, 3, (int)(1000.0 * left) + 1);
        if (w->input >= 0 && fds[0].revents != 0) {
            give(w);
        }
        if (w->said.fd >= 0 && fds[1].revents != 0) {
            take(w, &w->said);
        }
        if (w->answer.fd >= 0 && fds[2].revents != 0) {
            take(w, &w->answer);
        }
    }
}

/* Waits for the end itself: who closes both pipes and goes on has the rest of the time. */
static void wait_for(Watch *w) {
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0) {
        if (now() > w->end) {
            end_it(w, "out of time");
        }
        usleep(500);
    }
    kill(-w->pid, SIGKILL); /* the group goes before its leader's number is free again */
    while (waitpid(w->pid, &w->run->status, 0) < 0 && errno == EINTR) {
    }
    int number = WIFSIGNALED(w->run->status) ? WTERMSIG(w->run->status) : 0;
    if (number == SIGXCPU || (number == SIGKILL && w->run->ended == NULL)) {
        w->run->ended = "out of time";
    }
}

static bool pipes_open(Pipes *pipes, Error *error) {
    int *each[] = {pipes->input, pipes->said, pipes->answer};
    for (int i = 0; i < 3; i++) {
        if (pipe2(each[i], O_CLOEXEC) != 0) {
            return error_set(error, "no pipe: %s", strerror(errno)); /* the process is at its end */
        }
    }
    fcntl(pipes->input[1], F_SETFL, O_NONBLOCK);
    fcntl(pipes->said[0], F_SETFL, O_NONBLOCK);
    fcntl(pipes->answer[0], F_SETFL, O_NONBLOCK);
    return true;
}

static void watch_close(const Watch *w) {
    const int fds[] = {w->input, w->said.fd, w->answer.fd};
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

static Stream stream(int fd, size_t most, const char *why) {
    size_t room = most < 4096 ? most : 4096;
    return (Stream){
        .fd = fd, .bytes = check_alloc(room + 1), .room = room, .most = most, .why = why};
}

bool sandbox_run(const char *const *argv, const char *folder, const void *input, size_t input_size,
                 const SandboxLimits *limits, SandboxRun *run, Error *error) {
    Pipes pipes;
    *run = (SandboxRun){.status = 0};
    int program = limits->sealed ? open(argv[0], O_RDONLY | O_CLOEXEC) : -1;
    if (limits->sealed && program < 0) {
        return error_set(error, "%s: %s", argv[0], strerror(errno));
    }
    if (!pipes_open(&pipes, error)) {
        return false;
    }
    fflush(NULL);
    signal(SIGPIPE, SIG_IGN); /* a program that does not read its input */
    Start start = {.argv = argv, .folder = folder, .limits = limits, .program = program};
    start.user = other_user(&start.group);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL), signal(SIGHUP, SIG_DFL);
        child_run(&start, &pipes);
    }
    close(pipes.input[0]), close(pipes.said[1]), close(pipes.answer[1]);
    if (program >= 0) {
        close(program);
    }
    Watch watch = {.pid = pid,
                   .input = pipes.input[1],
                   .bytes = input,
                   .left = input_size,
                   .said = stream(pipes.said[0], limits->said, "said too much"),
                   .answer = stream(pipes.answer[0], limits->answer, "answered too much"),
                   .end = now() + limits->seconds,
                   .run = run};
    if (pid > 0) {
        attend(&watch);
        wait_for(&watch);
    }
    watch_close(&watch);
    run->said = watch.said.bytes, run->said_size = watch.said.size;
    run->answer = watch.answer.bytes, run->answer_size = watch.answer.size;
    run->said[run->said_size] = '\0';
    return pid > 0 || error_set(error, "cannot start a process: %s", strerror(errno));
}

void sandbox_free(SandboxRun *run) {
    free(run->said);
    free(run->answer);
    run->said = run->answer = NULL;
}
