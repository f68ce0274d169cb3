/* A tensor: up to four dimensions of float32, row-major and contiguous, nothing hidden.
 *
 * `data` and `grad` may point into an arena (activations), into the parameter block (weights) or
 * into another tensor (views); a tensor never owns them. */
#ifndef CORE_TENSOR_H
#define CORE_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

enum { TENSOR_MAX_DIMS = 4 };

typedef struct Tensor Tensor;

struct Tensor {
    float *data;
    float *grad; /* same shape as data; NULL for a constant: nothing flows back into it */
    int ndim;
    int dim[TENSOR_MAX_DIMS]; /* dim[0] is the slowest; entries past ndim are 1 */
    const char *name;         /* for error messages; never NULL */

    /* Only on a tape that recycles gradients (tape.h): */
    bool grad_comes;     /* `grad` is there while the backward pass needs it, and NULL otherwise */
    Tensor *origin;      /* of a view: the tensor whose gradient it shares; else NULL */
    size_t origin_begin; /* from which element on */
    float *grad_home;    /* of a parameter: where its gradient will stand */
};

/* Is there a gradient, or will there be one in the backward pass? */
bool tensor_wants_grad(const Tensor *tensor);

/* Number of elements. */
size_t tensor_size(const Tensor *tensor);

/* The last dimension: the length of a row. */
int tensor_cols(const Tensor *tensor);

/* Number of rows of that length: the product of all dimensions but the last. */
size_t tensor_rows(const Tensor *tensor);

/* Same number of dimensions, each equal? */
bool tensor_same_shape(const Tensor *a, const Tensor *b);

/* "w (32, 64)": name and shape as they appear in every error message. */
typedef struct TensorText {
    char text[96];
} TensorText;
TensorText tensor_text(const Tensor *tensor);

/* Checks that ndim is 1..4 and every dimension at least 1 and that the size fits; stops otherwise
 * with a message that begins with `op`. Returns the number of elements. */
size_t tensor_check_shape(const char *op, int ndim, const int *dim);

/* Index of the first element that is infinite or not a number, or -1. */
long tensor_find_nonfinite(const float *values, size_t n);

/* Index of the largest of n values; the first of equals. */
int tensor_argmax(const float *values, int n);

#endif
