#include "support/tensors.h"

#include <stdlib.h>

void fill_random(float *values, size_t n, float low, float high, Rng *rng) {
    for (size_t i = 0; i < n; i++) {
        values[i] = rng_range(rng, low, high);
    }
}

Tensor *random_variable(Tape *tape, Rng *rng, const char *name, int ndim, const int *dim) {
    Tensor *tensor = tape_variable(tape, name, NULL, ndim, dim);
    fill_random(tensor->data, tensor_size(tensor), -1.0f, 1.0f, rng);
    return tensor;
}

Tensor *random_constant(Tape *tape, Rng *rng, const char *name, int ndim, const int *dim) {
    Tensor *tensor = tape_constant(tape, name, NULL, ndim, dim);
    fill_random(tensor->data, tensor_size(tensor), -1.0f, 1.0f, rng);
    return tensor;
}

void backward_random(Tape *tape, Tensor *out, uint64_t seed) {
    Rng rng = rng_seeded(seed, 77);
    fill_random(out->grad, tensor_size(out), -1.0f, 1.0f, &rng);
    tape_backward_from(tape, out);
}

void backward_ones(Tape *tape, Tensor *out) {
    for (size_t i = 0; i < tensor_size(out); i++) {
        out->grad[i] = 1.0f;
    }
    tape_backward_from(tape, out);
}

float *copy_of(const float *values, size_t n) {
    float *copy = check_alloc(n * sizeof *copy);
    memcpy(copy, values, n * sizeof *copy);
    return copy;
}

void assert_shape_at(const Tensor *tensor, int ndim, const int *dim, const char *file, int line) {
    Tensor expected = {.ndim = ndim, .name = tensor->name};
    memcpy(expected.dim, dim, (size_t)ndim * sizeof *dim);
    if (!tensor_same_shape(tensor, &expected)) {
        print_error("the shape is %s, expected %s\n", tensor_text(tensor).text,
                    tensor_text(&expected).text);
        _fail(file, line);
    }
}

void assert_same_bits_at(const float *actual, const float *expected, size_t n, const char *text,
                         const char *file, int line) {
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&actual[i], &expected[i], sizeof(float)) != 0) {
            print_error("%s[%zu] is %.9g (%a), expected the very bits of %.9g (%a)\n", text, i,
                        (double)actual[i], (double)actual[i], (double)expected[i],
                        (double)expected[i]);
            _fail(file, line);
        }
    }
}

void assert_values_at(const float *actual, size_t size, const float *expected, size_t n,
                      double atol, const char *text, const char *file, int line) {
    if (size != n) {
        print_error("%s has %zu values, expected %zu\n", text, size, n);
        _fail(file, line);
    }
    assert_all_close_at(actual, expected, n, atol, 0.0, text, file, line);
}
