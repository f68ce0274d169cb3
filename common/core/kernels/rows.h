/* Kernels that work along rows of floats: activations, softmax, layer normalisation, sums.
 *
 * Plain pointers, no allocation. Forward functions write y, which may be x itself; backward
 * functions add to the gradients (+=), and none of those may overlap anything else. Sums are taken
 * in a fixed order: the same numbers give the same bits on any number of threads. */
#ifndef CORE_KERNELS_ROWS_H
#define CORE_KERNELS_ROWS_H

#include <stdbool.h>

/* ---- sums and products of n numbers ---- */

float dot(const float *a, const float *b, long n);
float sum(const float *x, long n);
double sum_squares(const float *x, long n);           /* in double: n may be millions */
void axpy(float *y, float a, const float *x, long n); /* y += a x */
void copy(float *y, const float *x, long n);
void set_zero(float *y, long n);
void add(float *y, const float *a, const float *b, long n);
void mul(float *y, const float *a, const float *b, long n);

/* ---- activations: y = f(x); dx += dy f'(x), from y where that suffices, else from x ---- */

void exp_forward(float *y, const float *x, long n);
void exp_backward(float *dx, const float *dy, const float *y, long n);
void tanh_forward(float *y, const float *x, long n);
void tanh_backward(float *dx, const float *dy, const float *y, long n);
void sigmoid_forward(float *y, const float *x, long n);
void sigmoid_backward(float *dx, const float *dy, const float *y, long n);
void relu_forward(float *y, const float *x, long n);
void relu_backward(float *dx, const float *dy, const float *x, long n);
void silu_forward(float *y, const float *x, long n);
void silu_backward(float *dx, const float *dy, const float *x, long n);
void gelu_tanh_forward(float *y, const float *x, long n);
void gelu_tanh_backward(float *dx, const float *dy, const float *x, long n);
void gelu_erf_forward(float *y, const float *x, long n);
void gelu_erf_backward(float *dx, const float *dy, const float *x, long n);

/* ---- softmax of `rows` rows of `cols` numbers each ---- */

void softmax_rows(float *y, const float *x, long rows, int cols);
void softmax_backward_rows(float *dx, const float *dy, const float *y, long rows, int cols);
void log_softmax_rows(float *y, const float *x, long rows, int cols);
void log_softmax_backward_rows(float *dx, const float *dy, const float *y, long rows, int cols);

/* One row in which only some columns count (true = may look); the others become 0. All of them
 * become 0 when none may be looked at. softmax_backward_rows serves on the way back. */
void softmax_row_masked(float *y, const float *x, int cols, const bool *may_look);

/* dx_i += scale * exp(log_p_i): the softmax's share of the gradient of a cross-entropy. */
void softmax_from_log_accumulate(float *dx, float scale, const float *log_p, int cols);

/* ---- layer normalisation ---- */

/* y = gain * (x - mean) * rstd + bias with rstd = 1 / sqrt(variance + eps), the variance divided by
 * cols. Writes the two moments of each row. */
void layernorm_rows(float *y, float *mean, float *rstd, const float *x, const float *gain,
                    const float *bias, long rows, int cols, float eps);

/* Any of dx, dgain and dbias may be NULL. */
void layernorm_backward_rows(float *dx, float *dgain, float *dbias, const float *dy, const float *x,
                             const float *mean, const float *rstd, const float *gain, long rows,
                             int cols);

/* ---- bias ---- */

void add_bias_rows(float *y, const float *bias, long rows, int cols);   /* each row += bias */
void bias_backward(float *dbias, const float *dy, long rows, int cols); /* += sum over rows */

#endif
