/* Other shapes, parts and joins. What can be a view is one: it shares data and gradient with its
 * origin, so it needs no backward function at all. */
#include "core/ops.h"

#include "core/check.h"
#include "core/kernels/rows.h"

#include <string.h>

Tensor *op_reshape(Tape *tape, Tensor *x, int ndim, const int *dim) {
    size_t size = tensor_check_shape("reshape", ndim, dim);
    CHECK(size == tensor_size(x), "reshape: %s has %zu elements, the new shape %zu",
          tensor_text(x).text, tensor_size(x), size);
    return tape_view(tape, x, 0, ndim, dim);
}

Tensor *op_slice(Tape *tape, Tensor *x, int begin, int end) {
    CHECK(0 <= begin && begin < end && end <= x->dim[0], "slice: %s has no rows %d to %d",
          tensor_text(x).text, begin, end);
    int dim[TENSOR_MAX_DIMS];
    memcpy(dim, x->dim, sizeof dim);
    dim[0] = end - begin;
    return tape_view(tape, x, (size_t)begin * (tensor_size(x) / (size_t)x->dim[0]), x->ndim, dim);
}

Tensor *op_index(Tape *tape, Tensor *x, int index) {
    CHECK(x->ndim > 1, "index: %s has one dimension only", tensor_text(x).text);
    CHECK(0 <= index && index < x->dim[0], "index: %s has no row %d", tensor_text(x).text, index);
    return tape_view(tape, x, (size_t)index * (tensor_size(x) / (size_t)x->dim[0]), x->ndim - 1,
                     x->dim + 1);
}

Tensor *op_detach(Tape *tape, Tensor *x) {
    Tensor *y = tape_view(tape, x, 0, x->ndim, x->dim);
    y->grad = NULL;
    y->grad_comes = false;
    return y;
}

static void slice_last_backward(const TapeNode *node) { /* dx[.., begin + j] += dy[.., j] */
    const int *begin = node->saved;
    Tensor *x = node->in[0];
    int from = tensor_cols(x), to = tensor_cols(node->out);
    for (size_t r = 0; r < tensor_rows(x); r++) {
        axpy(x->grad + r * (size_t)from + *begin, 1.0f, node->out->grad + r * (size_t)to, to);
    }
}

Tensor *op_slice_last(Tape *tape, Tensor *x, int begin, int end) {
    int from = tensor_cols(x), to = end - begin;
    CHECK(0 <= begin && begin < end && end <= from, "slice_last: %s has no columns %d to %d",
          tensor_text(x).text, begin, end);
    int *saved = arena_alloc(&tape->arena, sizeof *saved);
    *saved = begin;
    int dim[TENSOR_MAX_DIMS];
    memcpy(dim, x->dim, sizeof dim);
    dim[x->ndim - 1] = to;
    Tensor *y = tape_output(tape, "slice_last", INPUTS(x), x->ndim, dim);
    for (size_t r = 0; r < tensor_rows(x); r++) {
        memcpy(y->data + r * (size_t)to, x->data + r * (size_t)from + begin,
               (size_t)to * sizeof(float));
    }
    tape_record(tape, "slice_last", slice_last_backward, y, INPUTS(x), saved);
    return y;
}

/* A join along `axis` copies, for each index of the dimensions before it, one run of each part. */
typedef struct Join {
    size_t outer; /* product of the dimensions before the axis */
    size_t inner; /* product of those behind it */
    int axis;
} Join;

static void concat_backward(const TapeNode *node) { /* each part takes its share of dy */
    const Join *join = node->saved;
    size_t width = (size_t)node->out->dim[join->axis] * join->inner, at = 0;
    for (int i = 0; i < node->in_count; i++) {
        size_t run = tensor_size(node->in[i]) / join->outer;
        for (size_t o = 0; o < join->outer && node->in[i]->grad != NULL; o++) {
            axpy(node->in[i]->grad + o * run, 1.0f, node->out->grad + o * width + at, (long)run);
        }
        at += run;
    }
}

static void check_join(int axis, const Tensor *first, const Tensor *part) {
    bool fits = part->ndim == first->ndim;
    for (int i = 0; i < first->ndim && fits; i++) {
        fits = i == axis || part->dim[i] == first->dim[i];
    }
    CHECK(fits, "concat: %s and %s differ in more than dimension %d", tensor_text(first).text,
          tensor_text(part).text, axis);
}

Tensor *op_concat(Tape *tape, int axis, Tensor *const *parts, int count) {
    CHECK(count >= 1, "concat: nothing to join");
    CHECK(axis >= 0 && axis < parts[0]->ndim, "concat: %s has no dimension %d",
          tensor_text(parts[0]).text, axis);
    int dim[TENSOR_MAX_DIMS];
    memcpy(dim, parts[0]->dim, sizeof dim);
    dim[axis] = 0;
    for (int i = 0; i < count; i++) {
        check_join(axis, parts[0], parts[i]);
        dim[axis] += parts[i]->dim[axis];
    }
    Join *join = arena_alloc(&tape->arena, sizeof *join);
    *join = (Join){1, 1, axis};
    for (int i = 0; i < parts[0]->ndim; i++) {
        join->outer *= i < axis ? (size_t)dim[i] : 1;
        join->inner *= i > axis ? (size_t)dim[i] : 1;
    }
    Tensor *y = tape_output(tape, "concat", parts, count, parts[0]->ndim, dim);
    size_t width = (size_t)dim[axis] * join->inner, at = 0;
    for (int i = 0; i < count; i++) {
        size_t run = tensor_size(parts[i]) / join->outer;
        for (size_t o = 0; o < join->outer; o++) {
            memcpy(y->data + o * width + at, parts[i]->data + o * run, run * sizeof(float));
        }
        at += run;
    }
    tape_record(tape, "concat", concat_backward, y, parts, count, join);
    return y;
}

static void stack_backward(const TapeNode *node) { /* part t takes dy[t] */
    long run = (long)tensor_size(node->in[0]);
    for (int t = 0; t < node->in_count; t++) {
        if (node->in[t]->grad != NULL) {
            axpy(node->in[t]->grad, 1.0f, node->out->grad + t * run, run);
        }
    }
}

Tensor *op_stack(Tape *tape, Tensor *const *parts, int count) {
    CHECK(count >= 1, "stack: nothing to stack");
    CHECK(parts[0]->ndim < TENSOR_MAX_DIMS, "stack: %s already has %d dimensions",
          tensor_text(parts[0]).text, TENSOR_MAX_DIMS);
    int dim[TENSOR_MAX_DIMS] = {count};
    memcpy(dim + 1, parts[0]->dim, (TENSOR_MAX_DIMS - 1) * sizeof *dim);
    size_t run = tensor_size(parts[0]);
    Tensor *y = tape_output(tape, "stack", parts, count, parts[0]->ndim + 1, dim);
    for (int t = 0; t < count; t++) {
        CHECK(tensor_same_shape(parts[t], parts[0]), "stack: %s and %s differ",
              tensor_text(parts[0]).text, tensor_text(parts[t]).text);
        memcpy(y->data + (size_t)t * run, parts[t]->data, run * sizeof(float));
    }
    tape_record(tape, "stack", stack_backward, y, parts, count, NULL);
    return y;
}

/* Where element (i0, i1, i2, i3) of the permuted tensor lies in x: the sum of i_d * step[d]. */
typedef struct Permutation {
    int dim[TENSOR_MAX_DIMS]; /* of the result, padded with ones in front */
    long step[TENSOR_MAX_DIMS];
} Permutation;

static Permutation permutation_of(const Tensor *x, const int *order, int *dim) {
    Permutation p = {{1, 1, 1, 1}, {0}};
    bool seen[TENSOR_MAX_DIMS] = {false};
    int pad = TENSOR_MAX_DIMS - x->ndim;
    for (int i = 0; i < x->ndim; i++) {
        CHECK(order[i] >= 0 && order[i] < x->ndim && !seen[order[i]],
              "permute: the order of the %d dimensions of %s must name each of them once", x->ndim,
              tensor_text(x).text);
        seen[order[i]] = true;
        dim[i] = p.dim[pad + i] = x->dim[order[i]];
        p.step[pad + i] = 1;
        for (int j = order[i] + 1; j < x->ndim; j++) {
            p.step[pad + i] *= x->dim[j];
        }
    }
    return p;
}

/* Visits the result in order: to[n] = from[place of n in x], or, backward, to[place] += from[n]. */
static void permute_walk(const Permutation *p, float *to, const float *from, bool backward) {
    long n = 0;
    for (int a = 0; a < p->dim[0]; a++) {
        for (int b = 0; b < p->dim[1]; b++) {
            for (int c = 0; c < p->dim[2]; c++) {
                long place = a * p->step[0] + b * p->step[1] + c * p->step[2];
                for (int d = 0; d < p->dim[3]; d++, n++, place += p->step[3]) {
                    if (backward) {
                        to[place] += from[n];
                    } else {
                        to[n] = from[place];
                    }
                }
            }
        }
    }
}

static void permute_backward(const TapeNode *node) {
    permute_walk(node->saved, node->in[0]->grad, node->out->grad, true);
}

Tensor *op_permute(Tape *tape, Tensor *x, const int *order) {
    int dim[TENSOR_MAX_DIMS];
    Permutation *p = arena_alloc(&tape->arena, sizeof *p);
    *p = permutation_of(x, order, dim);
    Tensor *y = tape_output(tape, "permute", INPUTS(x), x->ndim, dim);
    permute_walk(p, y->data, x->data, false);
    tape_record(tape, "permute", permute_backward, y, INPUTS(x), p);
    return y;
}

Tensor *op_transpose(Tape *tape, Tensor *x) {
    CHECK(x->ndim >= 2, "transpose: %s is no matrix", tensor_text(x).text);
    int order[TENSOR_MAX_DIMS] = {0, 1, 2, 3};
    order[x->ndim - 2] = x->ndim - 1;
    order[x->ndim - 1] = x->ndim - 2;
    return op_permute(tape, x, order);
}
