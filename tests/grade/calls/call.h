/* The worker's side of a check: a program that is linked with the library under test, reads what to
 * call it with, calls it, and writes back what came out. It judges nothing.
 *
 * A check is a function check_NAME(Call *call): it takes its inputs by name (grade/checks.tsv says
 * which there are), calls what is to be checked, and answers. Input that is not there ends it. */
#ifndef GRADE_WORK_CALL_H
#define GRADE_WORK_CALL_H

#include "core/tape.h"

typedef struct Call Call;

/* Memory and operations for this call: everything is gone after it. */
Tape *call_tape(Call *call);

int call_int(Call *call, const char *name);
float call_float(Call *call, const char *name);
const int *call_ints(Call *call, const char *name);
const float *call_floats(Call *call, const char *name);

/* The input as a tensor with a gradient (of zeros); without shape it is (1). */
Tensor *call_tensor(Call *call, const char *name);

/* Answers: copied. */
void answer_floats(Call *call, const char *name, const float *values, int ndim, const int *dim);
void answer_tensor(Call *call, const char *name, const Tensor *tensor);
void answer_number(Call *call, const char *name, double value);

/* The gradient of a tensor, under the name given. */
void answer_gradient(Call *call, const char *name, const Tensor *tensor);

/* Fills y's gradient with numbers that are the same for everybody, and runs the tape backward. */
void call_backward(Call *call, Tensor *y);

/* The checks that this program was linked with, ended by one without name: a file of its own,
 * written for each worker. Which one is meant the program is told by its argument. */
extern const struct {
    const char *name;
    void (*check)(Call *call);
} worker_checks[];

#endif
