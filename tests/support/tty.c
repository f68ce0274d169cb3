#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE

#include "support/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Nothing more for so long: it waits. Hints come in one piece, so it can be short. */
enum { QUIET_MS = 60 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- in the child ---- */

static void set_environment(const char *const *environment) {
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("NO_COLOR");
    unsetenv("LINES");
    unsetenv("COLUMNS");
    for (; environment != NULL && *environment != NULL; environment++) {
        if (strchr(*environment, '=') != NULL) {
            putenv((char *)(uintptr_t)*environment);
        } else {
            unsetenv(*environment);
        }
    }
}

static _Noreturn void become(const char *const *words, const TtySetting *setting, int terminal) {
    setsid();
    ioctl(terminal, TIOCSCTTY, 0);
    for (int i = 0; i < 3; i++) {
        dup2(terminal, i);
    }
    for (int handle = 3; handle < 256; handle++) {
        close(handle);
    }
    set_environment(setting->environment);
    if (setting->folder == NULL || chdir(setting->folder) == 0) {
        execv(words[0], (char *const *)(uintptr_t)words);
    }
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* ---- in the test ---- */

Tty tty_start(const char *const *words, TtySetting setting) {
    Tty tty = {.handle = posix_openpt(O_RDWR | O_NOCTTY), .text = calloc(1, 1)};
    if (tty.handle < 0 || grantpt(tty.handle) != 0 || unlockpt(tty.handle) != 0) {
        fail_msg("no pseudo terminal: %s", strerror(errno));
    }
    int terminal = open(ptsname(tty.handle), O_RDWR | O_NOCTTY);
    struct winsize window = {.ws_row = (unsigned short)setting.rows,
                             .ws_col = (unsigned short)setting.columns};
    ioctl(terminal, TIOCSWINSZ, &window);
    fflush(NULL);
    tty.pid = fork();
    if (tty.pid == 0) {
        become(words, &setting, terminal);
    }
    close(terminal);
    return tty;
}

/* Takes what comes within so many milliseconds. True when something did. */
static bool take(Tty *tty, int milliseconds) {
    struct pollfd wait = {.fd = tty->handle, .events = POLLIN};
    char bytes[4096];
    if (tty->ended || poll(&wait, 1, milliseconds) <= 0) {
        return false;
    }
    ssize_t got = read(tty->handle, bytes, sizeof bytes);
    if (got <= 0) { /* EIO: nobody is at the other end any more */
        tty->ended = true;
        return false;
    }
    tty->text = realloc(tty->text, tty->size + (size_t)got + 1);
    memcpy(tty->text + tty->size, bytes, (size_t)got);
    tty->size += (size_t)got;
    tty->text[tty->size] = '\0';
    return true;
}

void tty_expect(Tty *tty, const char *text) {
    double began = now();
    for (;;) {
        char *found = strstr(tty->text + tty->seen, text);
        if (found != NULL) {
            tty->seen = (size_t)(found - tty->text) + strlen(text);
            return;
        }
        if (!take(tty, 100) && (tty->ended || now() - began > TTY_SECONDS)) {
            fail_msg("\"%s\" does not come; this did:\n%s", text, tty->text + tty->seen);
        }
    }
}

/* Does what came since the last look end so? */
static bool ends_with(const Tty *tty, const char *mark) {
    size_t length = strlen(mark);
    return tty->size >= tty->seen + length && strcmp(tty->text + tty->size - length, mark) == 0;
}

bool tty_hint(Tty *tty) {
    double began = now();
    for (;;) {
        bool more = take(tty, QUIET_MS);
        if (!more && (ends_with(tty, "-- ") || ends_with(tty, "-- \033[0m"))) {
            tty->seen = tty->size;
            return true;
        }
        if (!more && tty->ended) {
            return false;
        }
        if (now() - began > TTY_SECONDS) {
            fail_msg("neither a hint nor an end; this came:\n%s", tty->text + tty->seen);
        }
    }
}

void tty_type(Tty *tty, const char *text) {
    assert_int_equal(write(tty->handle, text, strlen(text)), strlen(text));
}

bool tty_is_cooked(const Tty *tty) {
    struct termios modes;
    assert_int_equal(tcgetattr(tty->handle, &modes), 0);
    return (modes.c_lflag & ICANON) != 0 && (modes.c_lflag & ECHO) != 0;
}

int tty_end(Tty *tty) {
    double began = now();
    int status;
    while (!tty->ended && now() - began < TTY_SECONDS) {
        take(tty, 100);
    }
    if (!tty->ended) {
        fail_msg("it does not end; this came:\n%s", tty->text + tty->seen);
    }
    waitpid(tty->pid, &status, 0);
    tty->pid = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void tty_free(Tty *tty) {
    if (tty->pid > 0) {
        kill(tty->pid, SIGKILL);
        waitpid(tty->pid, NULL, 0);
    }
    close(tty->handle);
    free(tty->text);
    *tty = (Tty){0};
}
