#include "core/tape.h"

#include "core/check.h"

#include <string.h>

Tape tape_new(void) {
    return (Tape){.arena = arena_new(), .recording = true};
}

void tape_reset(Tape *tape) {
    arena_reset(&tape->arena);
    tape->last = NULL;
    tape->node_count = 0;
}

void tape_free(Tape *tape) {
    arena_free(&tape->arena);
    tape->last = NULL;
    tape->node_count = 0;
}

static Tensor *header_new(Tape *tape, const char *name, int ndim, const int *dim) {
    Tensor *tensor = arena_alloc(&tape->arena, sizeof *tensor);
    *tensor = (Tensor){.ndim = ndim, .name = name};
    for (int i = 0; i < TENSOR_MAX_DIMS; i++) {
        tensor->dim[i] = i < ndim ? dim[i] : 1;
    }
    return tensor;
}

Tensor *tape_constant(Tape *tape, const char *name, const float *values, int ndim, const int *dim) {
    size_t bytes = tensor_check_shape(name, ndim, dim) * sizeof(float);
    Tensor *tensor = header_new(tape, name, ndim, dim);
    tensor->data = arena_alloc(&tape->arena, bytes);
    if (values != NULL) {
        memcpy(tensor->data, values, bytes);
    } else {
        memset(tensor->data, 0, bytes);
    }
    return tensor;
}

Tensor *tape_variable(Tape *tape, const char *name, const float *values, int ndim, const int *dim) {
    Tensor *tensor = tape_constant(tape, name, values, ndim, dim);
    tensor->grad = arena_alloc_zeroed(&tape->arena, tensor_size(tensor) * sizeof(float));
    return tensor;
}

Tensor *tape_view(Tape *tape, const Tensor *x, size_t offset, int ndim, const int *dim) {
    size_t size = tensor_check_shape("view", ndim, dim);
    CHECK(offset + size <= tensor_size(x), "view: elements %zu to %zu of %s do not exist", offset,
          offset + size, tensor_text(x).text);
    Tensor *view = header_new(tape, x->name, ndim, dim);
    view->data = x->data + offset;
    view->grad = x->grad != NULL ? x->grad + offset : NULL;
    return view;
}

Tensor *tape_output(Tape *tape, const char *op, Tensor *const *in, int in_count, int ndim,
                    const int *dim) {
    size_t bytes = tensor_check_shape(op, ndim, dim) * sizeof(float);
    Tensor *out = header_new(tape, op, ndim, dim);
    out->data = arena_alloc(&tape->arena, bytes);
    bool wanted = false;
    for (int i = 0; i < in_count; i++) {
        wanted = wanted || (in[i] != NULL && in[i]->grad != NULL);
    }
    if (wanted && tape->recording) {
        out->grad = arena_alloc_zeroed(&tape->arena, bytes);
    }
    return out;
}

static void check_finite(const char *op, const char *what, const Tensor *tensor,
                         const float *values) {
    long i = tensor_find_nonfinite(values, tensor_size(tensor));
    CHECK(i < 0, "%s: %s %s: element %ld is %g, the first that is not finite", op, what,
          tensor_text(tensor).text, i, (double)values[i < 0 ? 0 : i]);
}

void tape_record(Tape *tape, const char *op, BackwardFunction backward, Tensor *out,
                 Tensor *const *in, int in_count, void *saved) {
    if (tape->check_finite) {
        check_finite(op, "the result", out, out->data);
    }
    if (out->grad == NULL) {
        return;
    }
    TapeNode *node = arena_alloc(&tape->arena, sizeof *node);
    size_t bytes = (size_t)in_count * sizeof(Tensor *);
    *node = (TapeNode){.backward = backward,
                       .op = op,
                       .out = out,
                       .in_count = in_count,
                       .in = arena_alloc(&tape->arena, bytes),
                       .saved = saved,
                       .before = tape->last};
    memcpy(node->in, in, bytes);
    tape->last = node;
    tape->node_count++;
}

void tape_backward_from(Tape *tape, Tensor *out) {
    CHECK(out->grad != NULL, "tape_backward: %s has no gradient: nothing it was made from has one",
          tensor_text(out).text);
    for (const TapeNode *node = tape->last; node != NULL; node = node->before) {
        node->backward(node);
        for (int i = 0; tape->check_finite && i < node->in_count; i++) {
            if (node->in[i] != NULL && node->in[i]->grad != NULL) {
                check_finite(node->op, "the gradient of", node->in[i], node->in[i]->grad);
            }
        }
    }
}

void tape_backward(Tape *tape, Tensor *loss) {
    CHECK(tensor_size(loss) == 1, "tape_backward: the loss must be one number, not %s",
          tensor_text(loss).text);
    CHECK(loss->grad != NULL, "tape_backward: %s has no gradient: nothing it was made from has one",
          tensor_text(loss).text);
    loss->grad[0] = 1.0f;
    tape_backward_from(tape, loss);
}
