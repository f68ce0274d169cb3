/* Programs run the way their users run them: from the shell. */
#ifndef TESTS_SUPPORT_SHELL_H
#define TESTS_SUPPORT_SHELL_H

#include "assert_close.h"

/* Runs a line with sh, nothing to read for it, and gives its exit status. What it prints, on stdout
 * and stderr, goes to `output`, a string, as far as `size` lets it. Fails the test when a signal
 * ended the shell. */
int shell_run(const char *line, char *output, size_t size);

#endif
