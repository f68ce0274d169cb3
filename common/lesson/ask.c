#include "lesson/ask.h"

#include <errno.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lesson/interrupt.h"

/* What next_byte() gives when there is no byte. */
enum { NO_MORE = -1, SIGNAL_CAME = -2 };

/* The next byte of standard input. The terminal stays in its usual mode, a line at a time: there is
 * nothing to put right if the program dies here. */
static int next_byte(void) {
    while (interrupt_signal() == 0) {
        fd_set input;
        FD_ZERO(&input);
        FD_SET(STDIN_FILENO, &input);
        struct timeval wait = {.tv_usec = 200000}; /* a signal just before select() is not lost */
        int ready = select(STDIN_FILENO + 1, &input, NULL, NULL, &wait);
        if (ready < 0 && errno != EINTR) {
            return NO_MORE;
        }
        if (ready > 0) {
            unsigned char byte;
            ssize_t got = read(STDIN_FILENO, &byte, 1);
            if (got == 1) {
                return byte;
            }
            if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
                return NO_MORE;
            }
        }
    }
    return SIGNAL_CAME;
}

/* Would a hint in `out` be read by nobody, while there is a terminal that shows standard error? A
 * pipe may lead to a terminal (`| tee log`), a file does not. */
static bool is_unseen(FILE *out) {
    struct stat about;
    int handle = fileno(out);
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && fstat(handle, &about) == 0 &&
           !isatty(handle) && (S_ISREG(about.st_mode) || S_ISCHR(about.st_mode));
}

AskResult ask_line(const Terminal *term, const char *hint, char *line, size_t size) {
    Terminal shown = is_unseen(term->out) ? terminal_new(stderr, true) : *term;
    fflush(term->out);
    terminal_put(&shown, STYLE_YELLOW, hint);
    fflush(shown.out);
    size_t used = 0;
    int byte;
    while ((byte = next_byte()) >= 0 && byte != '\n') {
        if (used + 1 < size) {
            line[used++] = (char)byte;
        }
    }
    line[used] = '\0';
    if (byte < 0 || !isatty(STDIN_FILENO)) { /* nobody's Enter has moved the cursor down */
        terminal_put(&shown, STYLE_PLAIN, "\n");
        fflush(shown.out);
    }
    return byte == '\n' ? ASK_LINE : byte == NO_MORE ? ASK_END : ASK_SIGNAL;
}
