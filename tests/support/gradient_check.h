/* Numeric gradient check: does the backward pass agree with what the forward pass does?
 *
 * For random inputs and L = sum_i cot_i y_i with random weights cot, the derivative of L by each
 * input number is estimated from four forward passes (float32, summed in double):
 *
 *   (L(x - 2h) - 8 L(x - h) + 8 L(x + h) - L(x + 2h)) / (12 h)        error: h^4 / 30 L'''''
 *
 * and compared with what the tape says. The gradients start from a number other than zero, so that
 * a backward function that overwrites instead of adding is found. Each input in turn is also made a
 * constant: nothing else may change then. */
#ifndef TESTS_SUPPORT_GRADIENT_CHECK_H
#define TESTS_SUPPORT_GRADIENT_CHECK_H

#include "support/tensors.h"

typedef struct GradientInput {
    const char *name;
    int ndim;
    int dim[TENSOR_MAX_DIMS];
    float reach; /* values from U(-reach, reach); 0: 1.5 */
    float gap;   /* but no nearer to 0 than this: for functions with a corner there */
} GradientInput;

enum { GRADIENT_MAX_INPUTS = 8 };

/* The computation: from the inputs, in the order given, to one tensor. */
typedef Tensor *(*GradientGraph)(Tape *tape, Tensor *const *in, const void *context);

typedef struct GradientReport {
    char text[256]; /* what disagrees, or empty */
} GradientReport;

/* One seed; the report is empty when everything agrees within 3e-4 + 1e-3 |numeric|. */
GradientReport gradient_report(GradientGraph graph, const void *context,
                               const GradientInput *inputs, int count, uint64_t seed);

/* Three seeds; fails the test with the first disagreement. */
void gradient_check_at(const char *text, GradientGraph graph, const void *context,
                       const GradientInput *inputs, int count, const char *file, int line);

/* An input of that name and shape; further fields may follow in braces of one's own. */
#define INPUT_SHAPE(...)                                                                           \
    .ndim = (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), .dim = {__VA_ARGS__}
#define INPUT(input_name, ...)                                                                     \
    { .name = (input_name), INPUT_SHAPE(__VA_ARGS__) }

/* gradient_check(graph, context, INPUT("a", 3, 4), INPUT("b", 4)); */
#define gradient_check(graph, context, ...)                                                        \
    gradient_check_at(#graph, (graph), (context), (const GradientInput[]){__VA_ARGS__},            \
                      (int)(sizeof((const GradientInput[]){__VA_ARGS__}) / sizeof(GradientInput)), \
                      __FILE__, __LINE__)

#endif
