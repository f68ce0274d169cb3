#include "core/tensor.h"

#include "core/check.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

bool tensor_wants_grad(const Tensor *tensor) {
    return tensor->grad != NULL || tensor->grad_comes;
}

size_t tensor_size(const Tensor *tensor) {
    size_t size = 1;
    for (int i = 0; i < tensor->ndim; i++) {
        size *= (size_t)tensor->dim[i];
    }
    return size;
}

int tensor_cols(const Tensor *tensor) {
    return tensor->dim[tensor->ndim - 1];
}

size_t tensor_rows(const Tensor *tensor) {
    return tensor_size(tensor) / (size_t)tensor_cols(tensor);
}

bool tensor_same_shape(const Tensor *a, const Tensor *b) {
    bool same = a->ndim == b->ndim;
    for (int i = 0; i < a->ndim && same; i++) {
        same = a->dim[i] == b->dim[i];
    }
    return same;
}

TensorText tensor_text(const Tensor *tensor) {
    TensorText text;
    char *at = text.text;
    const char *end = text.text + sizeof text.text;
    at += snprintf(at, (size_t)(end - at), "%.40s (", tensor->name);
    for (int i = 0; i < tensor->ndim; i++) {
        at += snprintf(at, (size_t)(end - at), i > 0 ? ", %d" : "%d", tensor->dim[i]);
    }
    snprintf(at, (size_t)(end - at), ")");
    return text;
}

size_t tensor_check_shape(const char *op, int ndim, const int *dim) {
    CHECK(ndim >= 1 && ndim <= TENSOR_MAX_DIMS, "%s: a tensor has 1 to %d dimensions, not %d", op,
          TENSOR_MAX_DIMS, ndim);
    size_t size = 1;
    for (int i = 0; i < ndim; i++) {
        CHECK(dim[i] >= 1, "%s: dimension %d of the shape is %d; the least is 1", op, i, dim[i]);
        size *= (size_t)dim[i];
        CHECK(size <= INT_MAX, "%s: more than %d elements in one tensor", op, INT_MAX);
    }
    return size;
}

long tensor_find_nonfinite(const float *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return (long)i;
        }
    }
    return -1;
}

int tensor_argmax(const float *values, int n) {
    int best = 0;
    for (int i = 1; i < n; i++) {
        if (values[i] > values[best]) {
            best = i;
        }
    }
    return best;
}
