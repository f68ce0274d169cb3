/* The operations: everything the lessons compute is made of these.
 *
 * Each takes the tape and tensors and returns a new tensor on the tape's arena. A wrong shape stops
 * with a message that names the operation, the tensors and both shapes. Each operation's forward
 * and backward stand together in one of the files under ops/; nothing else knows their number.
 *
 * Shapes: "..." stands for any leading dimensions; sizes are B batch, T or L length, C or D width,
 * V vocabulary, S source length. */
#ifndef CORE_OPS_H
#define CORE_OPS_H

#include "core/mask.h"
#include "core/tape.h"

#include <stdint.h>

/* ---- matrix products (ops/matmul.c) ---- */

/* y (..., N) = a (..., K) b (K, N), rows of a flattened over its leading dimensions; or, when b has
 * more than two dimensions, one product for each index of the leading dimensions, which must be the
 * same in both: y (..., M, N) = a (..., M, K) b (..., K, N). */
Tensor *op_matmul(Tape *tape, Tensor *a, Tensor *b);

/* The same with b transposed: a (..., M, K), b (..., N, K). Nothing is copied. */
Tensor *op_matmul_nt(Tape *tape, Tensor *a, Tensor *b);

/* The same with a transposed: a (..., K, M), b (..., K, N), both with the same leading dimensions.
 */
Tensor *op_matmul_tn(Tape *tape, Tensor *a, Tensor *b);

/* y (..., N) = x (..., K) w^T + bias, w (N, K), bias (N) or NULL: a fully connected layer. */
Tensor *op_linear(Tape *tape, Tensor *x, Tensor *w, Tensor *bias);

/* ---- element by element (ops/pointwise.c, ops/activation.c) ---- */

/* y = a + b, a - b, a * b (Hadamard). The shape of b is that of a, or its last dimensions (a bias
 * or a row repeated over the leading ones). */
Tensor *op_add(Tape *tape, Tensor *a, Tensor *b);
Tensor *op_sub(Tape *tape, Tensor *a, Tensor *b);
Tensor *op_mul(Tape *tape, Tensor *a, Tensor *b);

/* y (B, S, D) = a (B, S, D) + b (B, D): b is repeated along the middle dimension. */
Tensor *op_add_middle(Tape *tape, Tensor *a, Tensor *b);

/* y = factor * x */
Tensor *op_scale(Tape *tape, Tensor *x, float factor);

/* y = x + constant */
Tensor *op_shift(Tape *tape, Tensor *x, float constant);

Tensor *op_exp(Tape *tape, Tensor *x);
Tensor *op_tanh(Tape *tape, Tensor *x);
Tensor *op_sigmoid(Tape *tape, Tensor *x);   /* 1 / (1 + exp(-x)) */
Tensor *op_relu(Tape *tape, Tensor *x);      /* max(x, 0); the slope at 0 is 0 */
Tensor *op_gelu_erf(Tape *tape, Tensor *x);  /* x Phi(x); Hendrycks and Gimpel 2016 */
Tensor *op_gelu_tanh(Tape *tape, Tensor *x); /* its tanh approximation, same paper */
Tensor *op_silu(Tape *tape, Tensor *x);      /* x sigmoid(x); Elfwing et al. 2017 */

/* Each element is kept with probability 1 - p and then divided by 1 - p, else zero (Srivastava et
 * al. 2014, inverted). The decision for element i depends on (key, i) alone. p = 0 returns x. */
Tensor *op_dropout(Tape *tape, Tensor *x, float p, uint64_t key);

/* ---- rows: along the last dimension (ops/rows.c) ---- */

Tensor *op_softmax(Tape *tape, Tensor *x);     /* exp(x_i) / sum_j exp(x_j) */
Tensor *op_log_softmax(Tape *tape, Tensor *x); /* x_i - log sum_j exp(x_j) */

/* Softmax over the keys a query may look at, zero for the others; a row where it may look at
 * nothing is all zeros, and so is its gradient. x is (B, S), (B, L, S) or (B, H, L, S); the mask's
 * queries are L (1 for (B, S)) or 1, its batch B or 1, its keys S. NULL is the plain softmax. */
Tensor *op_masked_softmax(Tape *tape, Tensor *x, const Mask *mask);

/* gain * (x - mean) / sqrt(variance + eps) + bias, the variance divided by n (not n - 1); gain and
 * bias (D). Ba, Kiros and Hinton 2016, equation 4. A constant row gives the bias. */
Tensor *op_layernorm(Tape *tape, Tensor *x, Tensor *gain, Tensor *bias, float eps);

/* ---- reductions: one number (ops/reduce.c) ---- */

Tensor *op_sum(Tape *tape, Tensor *x);  /* (1) */
Tensor *op_mean(Tape *tape, Tensor *x); /* (1) */

/* y (...) = sum over the last dimension of x (..., D); for (D) the result is (1). */
Tensor *op_sum_last(Tape *tape, Tensor *x);

/* ---- shape (ops/shape.c) ---- */

/* Another shape with the same number of elements: a view, nothing is copied. */
Tensor *op_reshape(Tape *tape, Tensor *x, int ndim, const int *dim);

/* x[begin .. end) along the first dimension: a view. */
Tensor *op_slice(Tape *tape, Tensor *x, int begin, int end);

/* x[index] along the first dimension, which is dropped: (T, B, D) -> (B, D), a view. */
Tensor *op_index(Tape *tape, Tensor *x, int index);

/* x[..., begin .. end) along the last dimension: a copy. */
Tensor *op_slice_last(Tape *tape, Tensor *x, int begin, int end);

/* `count` tensors joined along dimension `axis`; all other dimensions agree. */
Tensor *op_concat(Tape *tape, int axis, Tensor *const *parts, int count);

/* `count` tensors of one shape under a new first dimension: T times (B, D) -> (T, B, D). */
Tensor *op_stack(Tape *tape, Tensor *const *parts, int count);

/* Dimensions in another order: dimension i of the result is dimension order[i] of x. A copy. */
Tensor *op_permute(Tape *tape, Tensor *x, const int *order);

/* The last two dimensions exchanged. A copy; the matrix products do not need it. */
Tensor *op_transpose(Tape *tape, Tensor *x);

/* The same values, but no gradient flows back: a view. */
Tensor *op_detach(Tape *tape, Tensor *x);

/* ---- attention (ops/heads.c, ops/rope.c, ops/attention.c) ---- */

/* (B, L, H * D) -> (B, H, L, D): the columns of each token cut into H heads. A copy. */
Tensor *op_split_heads(Tape *tape, Tensor *x, int heads);

/* (B, H, L, D) -> (B, L, H * D): the way back. A copy. */
Tensor *op_merge_heads(Tape *tape, Tensor *x);

/* Which two of the D numbers of a head are turned together. */
typedef enum RopePairs {
    ROPE_INTERLEAVED, /* 2i and 2i + 1: Su et al. 2021, equation 34 */
    ROPE_HALF,        /* i and i + D / 2: the same up to the order of the columns */
} RopePairs;

/* Rotary position embedding (Su et al. 2021, section 3.2): pair i of the token at position p =
 * start + t is turned by the angle p base^(-2i / D), base 10000. x is (B, H, L, D), `heads` being H
 * or 0, or (B, L, H * D) with `heads` heads; D is even. */
Tensor *op_rope(Tape *tape, Tensor *x, int heads, int start, RopePairs pairs);

/* How op_attention() looks; all may be zero but `heads` with (B, L, H * D). */
typedef struct AttentionOptions {
    int heads;             /* H */
    float scale;           /* of the scores; 0: 1 / sqrt(D) */
    bool causal;           /* query i looks at keys up to i + Lk - Lq: aligned at the end */
    const int *key_length; /* (B): keys at or past it are padding; NULL: none are. Copied */
    const float *slopes;   /* (H) or NULL: ALiBi (Press, Smith and Lewis 2022), -slope times the
                              distance between query and key is added to the score. Copied */
    float dropout;         /* of the weights, in 0 .. 1, as op_dropout() with the same key would do
                              it to (B, H, Lq, Lk) */
    uint64_t dropout_key;
    Tensor **weights; /* unless NULL, set to the weights (B, H, Lq, Lk) before dropout, a constant.
                         Asking for them changes no bit of the output */
} AttentionOptions;

/* Scaled dot-product attention (Vaswani et al. 2017, equation 1) of all heads in one pass, block by
 * block with an online softmax (Milakov and Gimelshein 2018; Dao et al. 2022): no L x L matrix is
 * held, forward or backward, unless the weights are asked for, and blocks above the causal diagonal
 * are skipped. A query that may look at nothing gets zeros, and so does its gradient.
 *
 * q (B, Lq, H * D), k (B, Lk, H * D), v (B, Lk, H * Dv) -> (B, Lq, H * Dv), heads side by side; or
 * q (B, H, Lq, D), k (B, H, Lk, D), v (B, H, Lk, Dv) -> (B, H, Lq, Dv). */
Tensor *op_attention(Tape *tape, Tensor *q, Tensor *k, Tensor *v, AttentionOptions options);

/* The same for q, k and v side by side in one tensor, read in place: qkv (B, L, 3 d), the columns
 * of q, then k, then v -> (B, L, d). */
Tensor *op_attention_packed(Tape *tape, Tensor *qkv, AttentionOptions options);

/* ---- tables and losses (ops/embedding.c, ops/loss.c) ---- */

/* y (dims..., D) = table (V, D) at ids: ids holds as many numbers in 0..V-1 as the shape (ndim,
 * dim) says. They are copied. */
Tensor *op_embedding(Tape *tape, Tensor *table, const int *ids, int ndim, const int *dim);

/* Where the probability eps that label smoothing (Szegedy et al. 2016, section 7) takes from the
 * right class goes: K classes. */
typedef enum Smoothing {
    SMOOTHING_ALL,           /* eps / K on every class, the right one included (as PyTorch does) */
    SMOOTHING_OTHERS,        /* eps / (K - 1) on each wrong class */
    SMOOTHING_OTHERS_NONPAD, /* eps / (K - 2) on each wrong class that is not `ignore` */
} Smoothing;

typedef struct CrossEntropy {
    int ignore; /* targets equal to this are not counted (padding); -1: all are */
    float smoothing;
    Smoothing spread;
} CrossEntropy;

/* Mean over the counted targets of -sum_k q_k log softmax(logits)_k, with q the (smoothed) target
 * distribution. logits (..., K), one target in 0..K-1 for each row. Result (1), in nats; 0 when
 * every target is ignored. The targets are copied. */
Tensor *op_cross_entropy(Tape *tape, Tensor *logits, const int *targets, CrossEntropy options);

#endif
