/* The filter of system calls that student code runs behind. */
#ifndef GRADE_SEAL_H
#define GRADE_SEAL_H

#include <stdbool.h>

/* Is there a filter for this system and processor? */
bool seal_available(void);

/* Becomes the program that is open as `descriptor` (close-on-exec), behind the filter: the only
 * program this process can ever become. Returns only on failure; a program that needs another one
 * to be loaded (an ELF interpreter) is refused with ENOEXEC. */
void seal_and_run(int descriptor, char *const *argv, char *const *environment);

#endif
