#include "lesson/refusal.h"

#include "core/check.h"

#include <setjmp.h>
#include <stdio.h>

/* A check handler is told the message and nothing else, and must not return. */
static jmp_buf way_back;
static Refusal noted;

static void note(const char *message) {
    noted.refused = true;
    snprintf(noted.message, sizeof noted.message, "%s", message);
    longjmp(way_back, 1);
}

Refusal refusal_of(void (*work)(void *context), void *context) {
    const CheckHandler before = check_handler_set(note);
    noted = (Refusal){0};
    if (setjmp(way_back) == 0) {
        work(context);
    }
    check_handler_set(before);
    return noted;
}
