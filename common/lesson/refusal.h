/* What does a program say when it is used wrongly? Lessons show the message of a shape mistake and
 * go on. */
#ifndef LESSON_REFUSAL_H
#define LESSON_REFUSAL_H

#include <stdbool.h>

typedef struct Refusal {
    bool refused;
    char message[256]; /* of the check that failed; "" when all went well */
} Refusal;

/* Calls work(context). A failed check (core/check.h) in it ends the call, not the program; what
 * `work` had allocated by then must be reachable through `context`. Not for use within itself. */
Refusal refusal_of(void (*work)(void *context), void *context);

#endif
