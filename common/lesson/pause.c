#include "lesson/pause.h"

#include <errno.h>
#include <sys/select.h>
#include <unistd.h>

#include "lesson/interrupt.h"

/* The next byte of standard input, or -1 at its end or when a signal came. The terminal stays in
 * its usual mode, a line at a time: there is nothing to put right if the program dies here. */
static int next_byte(void) {
    while (interrupt_signal() == 0) {
        fd_set input;
        FD_ZERO(&input);
        FD_SET(STDIN_FILENO, &input);
        struct timeval wait = {.tv_usec = 200000}; /* a signal just before select() is not lost */
        int ready = select(STDIN_FILENO + 1, &input, NULL, NULL, &wait);
        if (ready < 0 && errno != EINTR) {
            return -1;
        }
        if (ready > 0) {
            unsigned char byte;
            ssize_t got = read(STDIN_FILENO, &byte, 1);
            if (got == 1) {
                return byte;
            }
            if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
                return -1;
            }
        }
    }
    return -1;
}

void pause_for_enter(Run *run) {
    if (run->no_more_pauses) {
        return;
    }
    terminal_put(&run->term, STYLE_YELLOW, "\n-- Enter: go on   q Enter: end here -- ");
    fflush(run->term.out);
    int first = next_byte(), byte = first;
    while (byte != '\n' && byte != -1) {
        byte = next_byte();
    }
    run->quit = first == 'q' || first == 'Q';
    run->no_more_pauses = byte == -1;
    if (byte == -1 || !isatty(STDIN_FILENO)) { /* nobody's Enter has moved the cursor down */
        terminal_put(&run->term, STYLE_PLAIN, "\n");
    }
}
