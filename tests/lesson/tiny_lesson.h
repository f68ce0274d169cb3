/* The smallest lesson that has everything: flags of its own, steps that need each other, pictures,
 * curves, attention, claims of every kind and mistakes. The tests of the frame run it. */
#ifndef TESTS_LESSON_TINY_LESSON_H
#define TESTS_LESSON_TINY_LESSON_H

/* As main() of a lesson. Its own flags: --units N (even), --rate X, --score dot|general|concat,
 * --data FILE, --loud, --delay MS (for each training step), --deaf (its training does not look at
 * Ctrl-C), --die (the model makes a nan). */
int tiny_lesson_main(int argc, char **argv);

/* The same with a table of contents that must be refused: "needs", "twice", "letter", "claim" or
 * "mistake". */
int tiny_lesson_wrong(const char *what);

#endif
