/* Element by element: sums, differences, products, scaling, dropout. */
#include "core/ops.h"

#include "core/check.h"
#include "core/kernels/dropout.h"
#include "core/kernels/parallel.h"
#include "core/kernels/rows.h"

/* Stops unless b has the shape of a or of its last dimensions; returns how often b is repeated. */
static long repeats(const char *op, const Tensor *a, const Tensor *b) {
    bool fits = b->ndim <= a->ndim;
    for (int i = 1; i <= b->ndim && fits; i++) {
        fits = a->dim[a->ndim - i] == b->dim[b->ndim - i];
    }
    CHECK(fits,
          "%s: %s and %s: the second must have the shape of the first or of its last dimensions",
          op, tensor_text(a).text, tensor_text(b).text);
    return (long)(tensor_size(a) / tensor_size(b));
}

/* dx += dy, or dx = dy where nothing has arrived yet. */
static void pass_on(float *dx, const float *dy, long n, bool adds) {
    if (adds) {
        axpy(dx, 1.0f, dy, n);
    } else {
        copy(dx, dy, n);
    }
}

/* Zeros where nothing has arrived yet, so that what follows may add. */
static void begin(float *dx, long n, bool adds) {
    if (!adds) {
        set_zero(dx, n);
    }
}

/* db += factor * (dy summed over the repetitions of b) */
static void add_repeated(float *db, float factor, const float *dy, long times, long n) {
    if (factor == 1.0f && times > 1) {
        bias_backward(db, dy, times, (int)n);
        return;
    }
    for (long r = 0; r < times; r++) {
        axpy(db, factor, dy + r * n, n);
    }
}

static void sum_backward(const TapeNode *node, float sign) {
    Tensor *a = node->in[0], *b = node->in[1];
    const float *dy = node->out->grad;
    long size = (long)tensor_size(a), n = (long)tensor_size(b);
    if (a->grad != NULL) {
        pass_on(a->grad, dy, size, tape_adds(node, 0));
    }
    if (b->grad != NULL && n == size && sign == 1.0f) {
        pass_on(b->grad, dy, n, tape_adds(node, 1));
    } else if (b->grad != NULL) {
        begin(b->grad, n, tape_adds(node, 1));
        add_repeated(b->grad, sign, dy, size / n, n);
    }
}

static void add_backward(const TapeNode *node) { /* da += dy, db += dy */
    sum_backward(node, 1.0f);
}

Tensor *op_add(Tape *tape, Tensor *a, Tensor *b) {
    long times = repeats("add", a, b), n = (long)tensor_size(b);
    Tensor *y = tape_output(tape, "add", INPUTS(a, b), a->ndim, a->dim);
    for (long r = 0; r < times; r++) {
        add(y->data + r * n, a->data + r * n, b->data, n);
    }
    tape_record_storing(tape, "add", add_backward, y, INPUTS(a, b), NULL);
    return y;
}

static void sub_backward(const TapeNode *node) { /* da += dy, db -= dy */
    sum_backward(node, -1.0f);
}

Tensor *op_sub(Tape *tape, Tensor *a, Tensor *b) {
    long times = repeats("sub", a, b), n = (long)tensor_size(b);
    Tensor *y = tape_output(tape, "sub", INPUTS(a, b), a->ndim, a->dim);
    for (long r = 0; r < times; r++) {
        for (long i = 0; i < n; i++) {
            y->data[r * n + i] = a->data[r * n + i] - b->data[i];
        }
    }
    tape_record_storing(tape, "sub", sub_backward, y, INPUTS(a, b), NULL);
    return y;
}

static void mul_backward(const TapeNode *node) { /* da += dy * b, db += dy * a */
    Tensor *a = node->in[0], *b = node->in[1];
    long n = (long)tensor_size(b), times = (long)tensor_size(a) / n;
    for (long r = 0; r < times; r++) {
        const float *dy = node->out->grad + r * n;
        for (long i = 0; i < n && a->grad != NULL; i++) {
            a->grad[r * n + i] += dy[i] * b->data[i];
        }
        for (long i = 0; i < n && b->grad != NULL; i++) {
            b->grad[i] += dy[i] * a->data[r * n + i];
        }
    }
}

Tensor *op_mul(Tape *tape, Tensor *a, Tensor *b) {
    long times = repeats("mul", a, b), n = (long)tensor_size(b);
    Tensor *y = tape_output(tape, "mul", INPUTS(a, b), a->ndim, a->dim);
    for (long r = 0; r < times; r++) {
        mul(y->data + r * n, a->data + r * n, b->data, n);
    }
    tape_record(tape, "mul", mul_backward, y, INPUTS(a, b), NULL);
    return y;
}

static void add_middle_backward(const TapeNode *node) { /* da += dy, db_n += sum_s dy_ns */
    Tensor *a = node->in[0], *b = node->in[1];
    int B = a->dim[0], S = a->dim[1], D = a->dim[2];
    const float *dy = node->out->grad;
    if (a->grad != NULL) {
        axpy(a->grad, 1.0f, dy, (long)tensor_size(a));
    }
    for (int n = 0; n < B && b->grad != NULL; n++) {
        bias_backward(b->grad + (long)n * D, dy + (long)n * S * D, S, D);
    }
}

Tensor *op_add_middle(Tape *tape, Tensor *a, Tensor *b) {
    CHECK(a->ndim == 3 && b->ndim == 2 && a->dim[0] == b->dim[0] && a->dim[2] == b->dim[1],
          "add_middle: %s and %s: needed are (B, S, D) and (B, D)", tensor_text(a).text,
          tensor_text(b).text);
    int B = a->dim[0], S = a->dim[1], D = a->dim[2];
    Tensor *y = tape_output(tape, "add_middle", INPUTS(a, b), a->ndim, a->dim);
    for (int n = 0; n < B; n++) {
        for (int s = 0; s < S; s++) {
            long row = ((long)n * S + s) * D;
            add(y->data + row, a->data + row, b->data + (long)n * D, D);
        }
    }
    tape_record(tape, "add_middle", add_middle_backward, y, INPUTS(a, b), NULL);
    return y;
}

static void scale_backward(const TapeNode *node) { /* dx += factor * dy */
    const float *factor = node->saved;
    axpy(node->in[0]->grad, *factor, node->out->grad, (long)tensor_size(node->out));
}

Tensor *op_scale(Tape *tape, Tensor *x, float factor) {
    float *saved = arena_alloc(&tape->arena, sizeof *saved);
    *saved = factor;
    Tensor *y = tape_output(tape, "scale", INPUTS(x), x->ndim, x->dim);
    for (size_t i = 0; i < tensor_size(x); i++) {
        y->data[i] = factor * x->data[i];
    }
    tape_record(tape, "scale", scale_backward, y, INPUTS(x), saved);
    return y;
}

static void shift_backward(const TapeNode *node) { /* dx += dy */
    axpy(node->in[0]->grad, 1.0f, node->out->grad, (long)tensor_size(node->out));
}

Tensor *op_shift(Tape *tape, Tensor *x, float constant) {
    Tensor *y = tape_output(tape, "shift", INPUTS(x), x->ndim, x->dim);
    for (size_t i = 0; i < tensor_size(x); i++) {
        y->data[i] = x->data[i] + constant;
    }
    tape_record(tape, "shift", shift_backward, y, INPUTS(x), NULL);
    return y;
}

enum { DRAWN_AT_ONCE = 256 };

/* y = or += x times what is drawn for elements first .. first + n - 1. */
static void drop(Dropout dropout, float *y, const float *x, long first, long n, bool adds) {
    float factor[DRAWN_AT_ONCE];
    for (long done = 0; done < n; done += DRAWN_AT_ONCE) {
        int run = n - done < DRAWN_AT_ONCE ? (int)(n - done) : DRAWN_AT_ONCE;
        dropout_factors(dropout, (uint64_t)(first + done), run, factor);
        for (int i = 0; i < run && adds; i++) {
            y[done + i] += x[done + i] * factor[i];
        }
        if (!adds) {
            mul(y + done, x + done, factor, run);
        }
    }
}

static void drop_all(Dropout dropout, float *y, const float *x, long size, bool adds) {
    if (!worth_chunks(size)) {
        drop(dropout, y, x, 0, size, adds);
        return;
    }
#pragma omp parallel for schedule(static)
    for (long begin = 0; begin < size; begin += PARALLEL_CHUNK) {
        drop(dropout, y + begin, x + begin, begin, chunk_length(begin, size), adds);
    }
}

static void dropout_backward(const TapeNode *node) { /* dx_i += dy_i * factor_i, drawn again */
    drop_all(*(const Dropout *)node->saved, node->in[0]->grad, node->out->grad,
             (long)tensor_size(node->out), tape_adds(node, 0));
}

Tensor *op_dropout(Tape *tape, Tensor *x, float p, uint64_t key) {
    CHECK(p >= 0.0f && p < 1.0f, "dropout: the probability %g is not in [0, 1)", (double)p);
    if (p == 0.0f) {
        return x;
    }
    Dropout *saved = arena_alloc(&tape->arena, sizeof *saved);
    *saved = (Dropout){p, key};
    Tensor *y = tape_output(tape, "dropout", INPUTS(x), x->ndim, x->dim);
    drop_all(*saved, y->data, x->data, (long)tensor_size(x), false);
    tape_record_storing(tape, "dropout", dropout_backward, y, INPUTS(x), saved);
    return y;
}
