/* One computation against the reference values of one file: inputs in, results and gradients
 * compared. Whatever disagrees fails the running test with one line that names the file, the form
 * of the computation, the tensor and the place. */
#ifndef TESTS_SUPPORT_GOLDEN_CASE_H
#define TESTS_SUPPORT_GOLDEN_CASE_H

#include "support/golden_file.h"
#include "support/tensors.h"

enum { GOLDEN_MAX_INPUTS = 256 };

typedef struct GoldenCase {
    const Golden *golden;
    const char *form;  /* "fused", "step by step": for messages */
    double atol, rtol; /* |a - b| <= atol + rtol |b|; 1e-5 and 1e-4 unless changed */
    Tape tape;
    Tensor *in[GOLDEN_MAX_INPUTS];               /* those whose gradients the file has ... */
    const GoldenTensor *grad[GOLDEN_MAX_INPUTS]; /* ... and these gradients */
    int in_count;
    Tensor *back_from;             /* a result that has a weight in the loss */
    bool used[GOLDEN_MAX_TENSORS]; /* read or compared */
} GoldenCase;

/* On the heap: golden_end() releases it. */
GoldenCase *golden_begin(const Golden *golden, const char *form);

/* Fails the test, with file and form in front of the message. */
_Noreturn void golden_fail(const GoldenCase *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The numbers of in.X, which must be there. */
const GoldenTensor *golden_need(GoldenCase *c, const char *name);

/* Is there an "in.X"? */
bool golden_has(const GoldenCase *c, const char *name);

/* in.X on the tape, its gradient to be compared with grad.X: both must be there. */
Tensor *golden_input(GoldenCase *c, const char *name);

/* in.X or NULL. */
Tensor *golden_input_or_null(GoldenCase *c, const char *name);

/* in.X as whole numbers, on the tape's arena. */
int *golden_integers(GoldenCase *c, const char *name);

/* Settings that must be there. */
const char *golden_text(const GoldenCase *c, const char *key);
double golden_number(const GoldenCase *c, const char *key);

/* Compares a result with out.X, its shape included, and gives it the gradient cot.X, if there. */
void golden_output(GoldenCase *c, const char *name, Tensor *result);

/* Compares n numbers with out.X. */
void golden_numbers(GoldenCase *c, const char *name, const double *values, size_t n);

/* The way back, the gradients, and that nothing in the file was left out. */
void golden_end(GoldenCase *c);

#endif
