#include "lesson/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/check.h"

/* Signals have no context, so these are the program's only variables outside of functions that
 * change: the signal that came, when it came, and what the terminal needs at a sudden end. */
static volatile sig_atomic_t raised;
static struct timespec raised_at;
static volatile sig_atomic_t is_tty, is_colored;
static int terminal_handle;

static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { WATCHED = sizeof watched / sizeof watched[0] };
static struct sigaction before[WATCHED], before_too_large;
static volatile sig_atomic_t installed;

/* One key press can arrive twice: `timeout` signals the program and then its whole group. */
static const double same_press = 0.3;

static double seconds_since(const struct timespec *then) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* Only calls that are allowed inside a signal handler. */
static void leave_at_once(int number) {
    const char *text = is_colored ? "\033[0m\n" : is_tty ? "\n" : "";
    size_t size = is_colored ? 5 : is_tty ? 1 : 0;
    ssize_t written = write(terminal_handle, text, size);
    (void)written; /* nothing can be done about it here */
    _exit(128 + number);
}

static void note_signal(int number) {
    bool impatient = number == SIGINT || number == SIGTERM;
    if (raised == 0 || raised == SIGPIPE) {
        clock_gettime(CLOCK_MONOTONIC, &raised_at);
        raised = number;
    } else if (impatient && seconds_since(&raised_at) > same_press) {
        leave_at_once(number);
    }
}

void interrupt_install(const Terminal *term) {
    raised = 0;
    is_tty = term->is_tty;
    is_colored = term->color;
    terminal_handle = fileno(term->out);
    /* SA_RESTART: a file being written is not disturbed; pauses wait in select(), which returns. */
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < WATCHED; i++) {
        sigaction(watched[i], NULL, &before[i]);
        if (watched[i] != SIGHUP || before[i].sa_handler != SIG_IGN) { /* nohup is to be obeyed */
            sigaction(watched[i], &action, NULL);
        }
    }
    /* A file beyond `ulimit -f`: write() is to say so, like on a full disk, not to end the program.
     */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGXFSZ, &ignore, &before_too_large);
    installed = 1;
}

void interrupt_remove(void) {
    for (int i = 0; installed && i < WATCHED; i++) {
        sigaction(watched[i], &before[i], NULL);
    }
    if (installed) {
        sigaction(SIGXFSZ, &before_too_large, NULL);
    }
    installed = 0;
}

int interrupt_signal(void) {
    return raised;
}

void interrupt_forget(void) {
    raised = 0;
}

int interrupt_wait(pid_t child, bool heard_by_both) {
    int status;
    bool passed_on = false;
    for (;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) {
            return status;
        }
        CHECK(ended == 0 || errno == EINTR, "process %d is lost", (int)child);
        if (heard_by_both && interrupt_signal() == SIGINT) {
            interrupt_forget();
        } else if (interrupt_signal() != 0 && !passed_on) {
            passed_on = true;
            kill(child, interrupt_signal());
        }
        poll(NULL, 0, 20); /* a signal ends it at once */
    }
}
