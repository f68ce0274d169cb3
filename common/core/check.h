/* Errors of the programmer: a wrong shape, a wrong size, memory that is not there.
 *
 * They stop at the place that made them, with one line that names the operation, the tensors and
 * the shapes. They are never compiled out. (Errors of the user, such as a missing file, are values:
 * see io/file.h.) */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include <stddef.h>

/* Receives the finished message and must not return. */
typedef void (*CheckHandler)(const char *message);

/* Replaces what happens on an error and returns the handler that was there; NULL restores the
 * default, which prints the message to stderr and aborts. Tests install one that jumps back. */
CheckHandler check_handler_set(CheckHandler handler);

/* Reports a printf-style message through the handler. A handler that returns is itself an error:
 * the program aborts. */
_Noreturn void check_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Stops with the message unless the condition holds. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            check_fail(__VA_ARGS__);                                                               \
        }                                                                                          \
    } while (0)

/* Zeroed memory of `bytes` bytes (at least one), aligned for any type; release with free().
 * Never NULL: running out of memory is reported like any other error. */
void *check_alloc(size_t bytes);

#endif
