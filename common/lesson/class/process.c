#include "lesson/class/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "core/check.h"
#include "lesson/interrupt.h"

enum { OUTPUT_LIMIT = 1 << 16, NOT_STARTED = 127 };

/* ---- the terminal ---- */

/* Makes `group` the one that the terminal listens to. A program in another group would be stopped
 * for asking, unless it holds the signal back. */
static void terminal_listen_to(pid_t group) {
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGTTOU);
    sigprocmask(SIG_BLOCK, &held, &before);
    tcsetpgrp(STDIN_FILENO, group);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

Foreground foreground_take(void) {
    Foreground foreground = {.group_before = getpgrp()};
    foreground.has_modes = tcgetattr(STDIN_FILENO, &foreground.modes) == 0;
    bool ours = foreground.has_modes && tcgetpgrp(STDIN_FILENO) == foreground.group_before;
    if (ours && foreground.group_before != getpid() && setpgid(0, 0) == 0) {
        terminal_listen_to(getpid());
        signal(SIGTSTP, SIG_IGN); /* the shell would not learn of it, and nobody could go on */
        foreground.taken = true;
    }
    return foreground;
}

void foreground_give_back(const Foreground *foreground) {
    if (foreground->taken) {
        terminal_listen_to(foreground->group_before);
        signal(SIGTSTP, SIG_DFL);
    }
}

/* ---- a program on the terminal ---- */

static _Noreturn void become(char *const *words) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGHUP); /* nobody waits for it when the class itself is killed */
#endif
    execv(words[0], words);
    _exit(NOT_STARTED);
}

Ending process_run(const Foreground *foreground, char *const *words) {
    Ending ending = {0};
    fflush(NULL);
    if (access(words[0], X_OK) != 0) {
        ending.error = errno;
        return ending;
    }
    pid_t child = fork();
    if (child == 0) {
        become(words);
    }
    if (child < 0) {
        ending.error = errno;
        return ending;
    }
    int status = interrupt_wait(child, true);
    if (interrupt_signal() == SIGINT) {
        interrupt_forget();
    }
    if (foreground->has_modes) {
        tcflush(STDIN_FILENO, TCIFLUSH); /* what was typed at the lesson is no answer to the menu */
        tcsetattr(STDIN_FILENO, TCSADRAIN, &foreground->modes);
    }
    ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return ending;
}

/* ---- a program in a pipe ---- */

static _Noreturn void become_quietly(char *const *words, int out) {
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0 &&
        dup2(out, STDOUT_FILENO) >= 0) {
        become(words);
    }
    _exit(NOT_STARTED);
}

static void read_all(int handle, char *text) {
    size_t used = 0;
    for (;;) {
        ssize_t got = read(handle, text + used, OUTPUT_LIMIT - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        used += (size_t)got;
    }
    text[used] = '\0';
}

char *process_output(char *const *words) {
    char *text = check_alloc(OUTPUT_LIMIT + 1);
    int ends[2], status;
    if (access(words[0], X_OK) != 0 || pipe(ends) != 0) {
        return text;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_quietly(words, ends[1]);
    }
    close(ends[1]);
    read_all(ends[0], text);
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return text;
}
