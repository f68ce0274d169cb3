/* Lessons in front of a class.
 *
 *     class PROGRAM ... [-- FLAG ...]
 *
 * runs the programs of the lessons one after the other, each step by step, with a menu in between:
 * the next one, the same again, one step of it, something broken on purpose, notes, another lesson.
 * The flags behind -- go to every lesson. Exit status: 0; 2 for wrong use; 143 after SIGTERM. A
 * lesson that fails does not end the class. */
#include <stdio.h>
#include <string.h>

#include "lesson/class/class.h"
#include "lesson/interrupt.h"
#include "lesson/streams.h"

static bool says_no_color(int count, char **flags) {
    for (int i = 0; i < count; i++) {
        if (strcmp(flags[i], "--no-color") == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    int programs = 0;
    while (programs + 1 < argc && strcmp(argv[programs + 1], "--") != 0) {
        programs++;
    }
    if (programs == 0 || argv[1][0] == '-') {
        fprintf(stderr, "class: usage: class PROGRAM ... [-- FLAG ...]\n");
        return 2;
    }
    int first_flag = programs + 2 < argc ? programs + 2 : argc;
    streams_prepare();
    Terminal term = terminal_new(stdout, says_no_color(argc - first_flag, argv + first_flag));
    interrupt_install(&term);
    int code = class_run(&term, argv + 1, programs, argv + first_flag, argc - first_flag);
    interrupt_remove();
    return streams_finish() ? code : 2;
}
