/* Programs that the class starts: on the terminal itself, or for what they print. */
#ifndef LESSON_CLASS_PROCESS_H
#define LESSON_CLASS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/* The terminal as it was found. */
typedef struct Foreground {
    bool taken;         /* this program has the terminal for itself */
    pid_t group_before; /* which had it before */
    bool has_modes;
    struct termios modes;
} Foreground;

/* Notes the terminal's modes and takes it for this program and those it starts, as a shell does, if
 * it was ours to take: so Ctrl-C does not reach make, which would stop. */
Foreground foreground_take(void);
void foreground_give_back(const Foreground *foreground);

/* How a program ended. */
typedef struct Ending {
    int error;  /* why it could not be started (errno), or 0 */
    int signal; /* that ended it, or 0 */
    int code;   /* its exit status */
} Ending;

/* Runs a program on our own three streams and waits for its end. Ctrl-C is its business and
 * forgotten here; SIGTERM and SIGHUP are passed on to it. Puts the terminal's modes right
 * afterwards. */
Ending process_run(const Foreground *foreground, char *const *words);

/* Standard output of a program as text, up to 64 KB of it; "" when it cannot be started. free() it.
 */
char *process_output(char *const *words);

#endif
