/* A lesson in step mode in a small window. */
#ifndef TESTS_SUPPORT_LESSON_WINDOW_H
#define TESTS_SUPPORT_LESSON_WINDOW_H

/* --quick --step on a terminal of 80 x 24, Enter at each hint: exit 0, no line is wider than the
 * window, and between two hints no more is printed than the window holds. Where one of its steps
 * needs more than that, it stops in between. */
void check_lesson_window(const char *lesson);

#endif
