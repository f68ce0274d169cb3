/* Matrix products. For y = a b the gradients are da += dy b^T and db += a^T dy; a transposed
 * operand only moves the transposition about; no caller ever copies a matrix to turn it over. */
#include "core/ops.h"

#include "core/check.h"
#include "core/kernels/gemm.h"
#include "core/kernels/rows.h"

#include <string.h>

/* One product, or `batch` of them one behind the other: y (m, n) = op(a) (m, k) op(b) (k, n). */
typedef struct Product {
    bool trans_a, trans_b;
    int batch, m, n, k;
} Product;

static void product(Product p, const float *a, const float *b, bool accumulate, float *c) {
    int lda = p.trans_a ? p.m : p.k, ldb = p.trans_b ? p.k : p.n;
    gemm_batched(p.trans_a, p.trans_b, p.batch, p.m, p.n, p.k, a, lda, (long)p.m * p.k, b, ldb,
                 (long)p.k * p.n, accumulate, c, p.n, (long)p.m * p.n);
}

static void matmul_backward(const TapeNode *node) {
    const Product *p = node->saved;
    Tensor *a = node->in[0], *b = node->in[1];
    const float *dy = node->out->grad;
    if (a->grad != NULL && p->trans_a) { /* y = a^T b: da += b dy^T */
        product((Product){p->trans_b, true, p->batch, p->k, p->m, p->n}, b->data, dy,
                tape_adds(node, 0), a->grad);
    } else if (a->grad != NULL) { /* y = a b: da += dy b^T */
        product((Product){false, !p->trans_b, p->batch, p->m, p->k, p->n}, dy, b->data,
                tape_adds(node, 0), a->grad);
    }
    if (b->grad != NULL && p->trans_b) { /* y = a b^T: db += dy^T a */
        product((Product){true, p->trans_a, p->batch, p->n, p->k, p->m}, dy, a->data,
                tape_adds(node, 1), b->grad);
    } else if (b->grad != NULL) { /* y = a b: db += a^T dy */
        product((Product){!p->trans_a, false, p->batch, p->k, p->n, p->m}, a->data, dy,
                tape_adds(node, 1), b->grad);
    }
}

static _Noreturn void shapes_fail(const char *op, const Tensor *a, const Tensor *b,
                                  const char *why) {
    check_fail("%s: %s times %s: %s", op, tensor_text(a).text, tensor_text(b).text, why);
}

/* The sizes of the product; leaves the leading dimensions of the result in `dim`. */
static Product product_sizes(const char *op, const Tensor *a, const Tensor *b, bool trans_a,
                             bool trans_b, int *dim) {
    if (a->ndim < 2 || b->ndim < 2) {
        shapes_fail(op, a, b, "both must be matrices");
    }
    int rows = a->dim[a->ndim - 2], cols = tensor_cols(a);
    Product p = {trans_a,
                 trans_b,
                 1,
                 trans_a ? cols : rows,
                 trans_b ? b->dim[b->ndim - 2] : tensor_cols(b),
                 trans_a ? rows : cols};
    int k = trans_b ? tensor_cols(b) : b->dim[b->ndim - 2];
    CHECK(k == p.k, "%s: %s times %s: %d != %d", op, tensor_text(a).text, tensor_text(b).text, p.k,
          k);
    bool batched = b->ndim > 2 || trans_a;
    if (batched && a->ndim != b->ndim) {
        shapes_fail(op, a, b, "the number of dimensions differs");
    }
    for (int i = 0; i < a->ndim - 2; i++) {
        if (batched && a->dim[i] != b->dim[i]) {
            shapes_fail(op, a, b, "the leading dimensions differ");
        }
        dim[i] = a->dim[i];
        p.batch *= a->dim[i];
    }
    dim[a->ndim - 2] = p.m;
    dim[a->ndim - 1] = p.n;
    if (!batched) { /* one matrix for all leading dimensions: a single, tall product */
        p.m *= p.batch;
        p.batch = 1;
    }
    return p;
}

static Tensor *matmul_any(Tape *tape, const char *op, Tensor *a, Tensor *b, bool trans_a,
                          bool trans_b) {
    int dim[TENSOR_MAX_DIMS];
    Product *p = arena_alloc(&tape->arena, sizeof *p);
    *p = product_sizes(op, a, b, trans_a, trans_b, dim);
    Tensor *y = tape_output(tape, op, INPUTS(a, b), a->ndim, dim);
    product(*p, a->data, b->data, false, y->data);
    tape_record_storing(tape, op, matmul_backward, y, INPUTS(a, b), p);
    return y;
}

Tensor *op_matmul(Tape *tape, Tensor *a, Tensor *b) {
    return matmul_any(tape, "matmul", a, b, false, false);
}

Tensor *op_matmul_nt(Tape *tape, Tensor *a, Tensor *b) {
    return matmul_any(tape, "matmul_nt", a, b, false, true);
}

Tensor *op_matmul_tn(Tape *tape, Tensor *a, Tensor *b) {
    return matmul_any(tape, "matmul_tn", a, b, true, false);
}

static void linear_backward(const TapeNode *node) {
    Tensor *x = node->in[0], *w = node->in[1], *bias = node->in[2];
    int rows = (int)tensor_rows(x), k = tensor_cols(x), n = w->dim[0];
    const float *dy = node->out->grad;
    if (x->grad != NULL) { /* dx (rows, K) += dy (rows, N) w (N, K) */
        gemm(false, false, rows, k, n, dy, n, w->data, k, tape_adds(node, 0), x->grad, k);
    }
    if (w->grad != NULL) { /* dw (N, K) += dy^T (N, rows) x (rows, K) */
        gemm(true, false, n, k, rows, dy, n, x->data, k, tape_adds(node, 1), w->grad, k);
    }
    if (bias != NULL && bias->grad != NULL) { /* dbias (N) += the sum of dy over the rows */
        if (!tape_adds(node, 2)) {
            memset(bias->grad, 0, (size_t)n * sizeof(float));
        }
        bias_backward(bias->grad, dy, rows, n);
    }
}

Tensor *op_linear(Tape *tape, Tensor *x, Tensor *w, Tensor *bias) {
    CHECK(w->ndim == 2 && tensor_cols(x) == w->dim[1], "linear: %s times %s transposed: %d != %d",
          tensor_text(x).text, tensor_text(w).text, tensor_cols(x), tensor_cols(w));
    CHECK(bias == NULL || (bias->ndim == 1 && bias->dim[0] == w->dim[0]),
          "linear: bias %s does not match %s: one number per row of the matrix is needed",
          tensor_text(bias).text, tensor_text(w).text);
    int dim[TENSOR_MAX_DIMS];
    for (int i = 0; i < x->ndim; i++) {
        dim[i] = i < x->ndim - 1 ? x->dim[i] : w->dim[0];
    }
    int rows = (int)tensor_rows(x), k = tensor_cols(x), n = w->dim[0];
    Tensor *y = tape_output(tape, "linear", INPUTS(x, w, bias), x->ndim, dim);
    gemm(false, true, rows, n, k, x->data, k, w->data, k, false, y->data, n);
    if (bias != NULL) {
        add_bias_rows(y->data, bias->data, rows, n);
    }
    tape_record_storing(tape, "linear", linear_backward, y, INPUTS(x, w, bias), NULL);
    return y;
}
