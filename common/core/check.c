#include "core/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void print_and_abort(const char *message) {
    fflush(stdout); /* the lesson's last words belong before the error, not after it */
    fprintf(stderr, "error: %s\n", message);
    abort();
}

static CheckHandler current_handler = print_and_abort;

CheckHandler check_handler_set(CheckHandler handler) {
    CheckHandler previous = current_handler;
    current_handler = handler != NULL ? handler : print_and_abort;
    return previous;
}

void check_fail(const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    current_handler(message);
    print_and_abort("an error handler returned");
    abort();
}

void *check_alloc(size_t bytes) {
    void *memory = calloc(1, bytes > 0 ? bytes : 1);
    CHECK(memory != NULL, "out of memory: %zu bytes were asked for", bytes);
    return memory;
}
