#include "show/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { HEARD_SIZE = 4096 };

/* A gnuplot at work and the start of what it has said. */
typedef struct Child {
    pid_t pid;
    int voice; /* reading end of a pipe with its stdout and stderr, -1 when closed */
    int status;
    bool late, stopped;
    char heard[HEARD_SIZE];
    size_t heard_size;
} Child;

/* Absolute path of a program on PATH, in memory of its own; NULL when there is none. */
static char *program_find(const char *name) {
    const char *path = getenv("PATH");
    for (size_t length; path && *path; path += length + (path[length] ? 1 : 0)) {
        length = strcspn(path, ":");
        char *folder = length > 0 ? strndup(path, length) : strdup(".");
        char *program = folder ? path_join(folder, name) : NULL;
        struct stat about;
        bool found = program && stat(program, &about) == 0 && S_ISREG(about.st_mode) &&
                     access(program, X_OK) == 0;
        /* absolute, because the child changes its folder first */
        char *absolute = found ? realpath(program, NULL) : NULL;
        free(folder);
        free(program);
        if (absolute) {
            return absolute;
        }
    }
    return NULL;
}

/* What the child does between fork and exec; only calls that are safe in a copy of a process with
 * several threads. */
_Noreturn static void child_become(const char *program, const char *folder, char *const *arguments,
                                   int voice) {
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever asked for the picture may be killed */
#endif
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(voice, STDOUT_FILENO) >= 0 &&
        dup2(voice, STDERR_FILENO) >= 0 && chdir(folder) == 0) {
        execv(program, arguments);
    }
    static const char reason[] = "it cannot be run";
    _exit(write(voice, reason, sizeof reason - 1) > 0 ? 127 : 126);
}

static bool child_start(Child *child, const char *program, const char *folder,
                        char *const *arguments) {
    int ends[2];
    *child = (Child){.voice = -1};
    if (pipe(ends) != 0) {
        return false;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC); /* gnuplot gets copies as its stdout and stderr */
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    child->pid = fork();
    if (child->pid == 0) {
        child_become(program, folder, arguments, ends[1]);
    }
    close(ends[1]);
    setpgid(child->pid, child->pid); /* here too: nobody knows which of the two runs first */
    if (child->pid < 0) {
        close(ends[0]);
        return false;
    }
    child->voice = ends[0];
    return true;
}

static double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Reads what there is, keeps as much as there is room for and drops the rest. */
static void child_listen(Child *child) {
    char chunk[1024];
    ssize_t size = read(child->voice, chunk, sizeof chunk);
    if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) {
        close(child->voice);
        child->voice = -1;
    }
    if (size > 0) {
        size_t room = HEARD_SIZE - 1 - child->heard_size;
        size_t kept = (size_t)size < room ? (size_t)size : room;
        memcpy(child->heard + child->heard_size, chunk, kept);
        child->heard_size += kept;
    }
}

/* Ends the child and all it started. */
static void child_end(Child *child) {
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR) {
    }
}

/* Waits until the child has ended, at most until `deadline` and until somebody stops it. */
static void child_wait(Child *child, double deadline, GnuplotStop stop) {
    bool running = true;
    while (running) {
        struct pollfd voice = {.fd = child->voice, .events = POLLIN};
        bool heard = poll(&voice, 1, 20) > 0;
        if (heard) {
            child_listen(child);
        } else {
            pid_t ended = waitpid(child->pid, &child->status, WNOHANG);
            running = ended == 0 || (ended < 0 && errno == EINTR);
        }
        if (running) {
            child->stopped = stop != NULL && stop();
            child->late = clock_now() > deadline;
        }
        if (running && (child->stopped || child->late)) {
            child_end(child);
            running = false;
        }
    }
    if (child->voice >= 0) {
        close(child->voice);
    }
}

/* How much a line of gnuplot's chatter says about what is wrong: one with `line N:` in it is an
 * error's, unless it is only a warning. */
static int line_weight(const char *line) {
    if (!*line) {
        return 0;
    }
    if (strstr(line, "warning")) {
        return 1;
    }
    return strstr(line, " line ") && strchr(line, ':') ? 3 : 2;
}

/* The line that says most, the first of them if there are several. */
static void heard_line(char *heard, char *out, size_t size) {
    int most = 0;
    snprintf(out, size, "no reason given");
    char *rest;
    for (char *line = strtok_r(heard, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        line += strspn(line, " \t");
        if (line_weight(line) > most) {
            most = line_weight(line);
            snprintf(out, size, "%s", line);
        }
    }
}

/* Whether the file starts and ends like a PNG: a full disk makes gnuplot leave half of one. */
static bool png_whole(const char *path) {
    static const char start[8] = "\x89PNG\r\n\x1a\n", end[8] = "IEND\xae\x42\x60\x82";
    char *bytes;
    size_t size;
    bool whole = file_read(path, (size_t)1 << 28, &bytes, &size, NULL) && size >= 57 &&
                 memcmp(bytes, start, sizeof start) == 0 &&
                 memcmp(bytes + size - sizeof end, end, sizeof end) == 0;
    free(bytes);
    return whole;
}

/* Judges how the child ended; fills the error when not well. */
static bool child_judge(Child *child, const char *script, const char *picture, int seconds,
                        Error *error) {
    char line[256];
    child->heard[child->heard_size] = '\0';
    heard_line(child->heard, line, sizeof line);
    if (child->stopped) {
        return error_set(error, "gnuplot was stopped before it had drawn %s", script);
    }
    if (child->late) {
        return error_set(error, "gnuplot took more than %d seconds over %s", seconds, script);
    }
    if (WIFSIGNALED(child->status)) {
        return error_set(error, "gnuplot was ended by signal %d while it drew %s",
                         WTERMSIG(child->status), script);
    }
    if (WEXITSTATUS(child->status) != 0) {
        return error_set(error, "gnuplot could not draw %s: %s", script, line);
    }
    if (!png_whole(picture)) {
        return error_set(error, "gnuplot made no whole picture from %s (is the disk full?): %s",
                         script, line);
    }
    return true;
}

static bool picture_draw(const char *program, const char *folder, const char *script,
                         const char *temp, int seconds, GnuplotStop stop, Error *error) {
    const char *name = strrchr(temp, '/');
    char told[128];
    snprintf(told, sizeof told, "picture='%s'", name ? name + 1 : temp);
    /* -d: whatever the user has in ~/.gnuplot must not change the pictures */
    char *arguments[] = {(char[]){"gnuplot"}, (char[]){"-d"}, (char[]){"-e"}, told, NULL, NULL};
    arguments[4] = strdup(script);
    Child child;
    bool ok = arguments[4] && child_start(&child, program, folder, arguments);
    if (!ok) {
        error_set(error, "gnuplot could not be started: %s", strerror(errno));
    } else {
        child_wait(&child, clock_now() + seconds, stop);
        ok = child_judge(&child, script, temp, seconds, error);
    }
    free(arguments[4]);
    return ok;
}

GnuplotResult gnuplot_run(const char *folder, const char *script, const char *picture, int seconds,
                          GnuplotStop stop, Error *error) {
    char *program = program_find("gnuplot");
    if (!program) {
        error_set(error, "gnuplot is not installed (there is none on PATH)");
        return GNUPLOT_MISSING;
    }
    AtomicFile file;
    char *path = path_join(folder, picture);
    bool ok = path ? atomic_open(&file, path, error) != NULL
                   : error_set(error, "gnuplot: not enough memory");
    if (ok) {
        ok = picture_draw(program, folder && *folder ? folder : ".", script, file.temp, seconds,
                          stop, error);
        if (ok) {
            ok = atomic_commit(&file, error);
        } else {
            atomic_discard(&file);
        }
    }
    free(path);
    free(program);
    return ok ? GNUPLOT_DRAWN : GNUPLOT_FAILED;
}
