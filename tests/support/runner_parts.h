/* Test programs that misbehave, for the tests of the runner: each name is a part to play. */
#ifndef TESTS_SUPPORT_RUNNER_PARTS_H
#define TESTS_SUPPORT_RUNNER_PARTS_H

/* Plays the part that the name of the program asks for, and returns its exit status; -1 when it
 * asks for none. Holds PROGRAM.lock for as long as any process of it lives. */
int play_by_name(const char *program);

#endif
