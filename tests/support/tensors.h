/* Tensors in tests: random ones, expected ones, and gradients sent back through them. */
#ifndef TESTS_SUPPORT_TENSORS_H
#define TESTS_SUPPORT_TENSORS_H

#include "assert_close.h"
#include "core/ops.h"
#include "core/rng.h"

/* n numbers from U(low, high). */
void fill_random(float *values, size_t n, float low, float high, Rng *rng);

/* A tensor of numbers from U(-1, 1), with a gradient (variable) or without (constant). */
Tensor *random_variable(Tape *tape, Rng *rng, const char *name, int ndim, const int *dim);
Tensor *random_constant(Tape *tape, Rng *rng, const char *name, int ndim, const int *dim);

/* Gives `out` a gradient from U(-1, 1) and runs the tape backward from it. */
void backward_random(Tape *tape, Tensor *out, uint64_t seed);

/* Gives `out` a gradient of ones and runs the tape backward from it. */
void backward_ones(Tape *tape, Tensor *out);

/* A copy of the numbers, to be released with free(). */
float *copy_of(const float *values, size_t n);

void assert_shape_at(const Tensor *tensor, int ndim, const int *dim, const char *file, int line);
void assert_same_bits_at(const float *actual, const float *expected, size_t n, const char *text,
                         const char *file, int line);
void assert_values_at(const float *actual, size_t size, const float *expected, size_t n,
                      double atol, const char *text, const char *file, int line);

/* assert_shape(y, 2, 3): y is (2, 3). */
#define assert_shape(tensor, ...) assert_shape_at((tensor), SHAPE(__VA_ARGS__), __FILE__, __LINE__)

/* assert_same_bits(actual, expected, n): two float arrays, not one bit apart. */
#define assert_same_bits(actual, expected, n)                                                      \
    assert_same_bits_at((actual), (expected), (n), #actual, __FILE__, __LINE__)

/* assert_data(y, 1e-6, 1, 2, 3), assert_grad(x, 1e-6, 1, 2, 3): all numbers of a tensor or of its
 * gradient, within an absolute tolerance. */
#define FLOATS(...)                                                                                \
    (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float)
#define assert_data(tensor, atol, ...)                                                             \
    assert_values_at((tensor)->data, tensor_size(tensor), FLOATS(__VA_ARGS__), (atol),             \
                     #tensor "->data", __FILE__, __LINE__)
#define assert_grad(tensor, atol, ...)                                                             \
    assert_values_at((tensor)->grad, tensor_size(tensor), FLOATS(__VA_ARGS__), (atol),             \
                     #tensor "->grad", __FILE__, __LINE__)

/* expect_exact_message(text, statement): the statement stops with that message, word for word. */
#define expect_exact_message(text, ...)                                                            \
    do {                                                                                           \
        expect_check_message("", __VA_ARGS__);                                                     \
        assert_string_equal(check_capture.message, (text));                                        \
    } while (0)

#endif
