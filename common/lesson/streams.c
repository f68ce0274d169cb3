#include "lesson/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void streams_prepare(void) {
    for (int handle = STDIN_FILENO; handle <= STDERR_FILENO; handle++) {
        if (fcntl(handle, F_GETFD) < 0 && errno == EBADF) {
            int opened = open("/dev/null", O_RDWR); /* the lowest free number: this one */
            (void)opened;
        }
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
}

bool streams_finish(void) {
    bool failed_before = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) != 0) {
        return false;
    }
    if (failed_before) {
        errno = errno ? errno : EIO; /* the first reason is forgotten by now */
    }
    return !failed_before;
}
