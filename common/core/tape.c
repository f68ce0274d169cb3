#include "core/tape.h"

#include "core/check.h"
#include "core/kernels/rows.h"

#include <string.h>

Tape tape_new(void) {
    return (Tape){.arena = arena_new(), .recording = true};
}

static void forget(Tape *tape) {
    tape->last = NULL;
    tape->node_count = 0;
    tape->spare = NULL;
}

void tape_reset(Tape *tape) {
    arena_reset(&tape->arena);
    forget(tape);
}

void tape_free(Tape *tape) {
    arena_free(&tape->arena);
    forget(tape);
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
    if (x->grad_comes) {
        view->grad_comes = true;
        view->origin = x->origin != NULL ? x->origin : (Tensor *)x;
        view->origin_begin = x->origin_begin + offset;
    }
    return view;
}

Tensor *tape_output(Tape *tape, const char *op, Tensor *const *in, int in_count, int ndim,
                    const int *dim) {
    size_t bytes = tensor_check_shape(op, ndim, dim) * sizeof(float);
    Tensor *out = header_new(tape, op, ndim, dim);
    out->data = arena_alloc(&tape->arena, bytes);
    bool wanted = false;
    for (int i = 0; i < in_count; i++) {
        wanted = wanted || (in[i] != NULL && tensor_wants_grad(in[i]));
    }
    if (wanted && tape->recording && tape->recycle) {
        out->grad_comes = true;
    } else if (wanted && tape->recording) {
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

static TapeNode *record(Tape *tape, const char *op, BackwardFunction backward, Tensor *out,
                        Tensor *const *in, int in_count, void *saved) {
    if (tape->check_finite) {
        check_finite(op, "the result", out, out->data);
    }
    if (!tensor_wants_grad(out)) {
        return NULL;
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
    return node;
}

void tape_record(Tape *tape, const char *op, BackwardFunction backward, Tensor *out,
                 Tensor *const *in, int in_count, void *saved) {
    record(tape, op, backward, out, in, in_count, saved);
}

void tape_record_storing(Tape *tape, const char *op, BackwardFunction backward, Tensor *out,
                         Tensor *const *in, int in_count, void *saved) {
    TapeNode *node = record(tape, op, backward, out, in, in_count, saved);
    if (node != NULL) {
        node->first = arena_alloc_zeroed(&tape->arena, (size_t)in_count * sizeof(bool));
    }
}

bool tape_adds(const TapeNode *node, int i) {
    return node->first == NULL || !node->first[i];
}

/* ---- gradients that come and go ---- */

/* Stands in front of the memory of such a gradient. */
typedef struct GradBuffer GradBuffer;
struct GradBuffer {
    size_t floats; /* that fit */
    GradBuffer *next;
};

enum { MOST_TRIED = 32 };

/* Room for so many floats: the buffer that was given back last among those that fit and are not
 * far too large, or a new one. Few are waiting as a rule; where there are many, the first are
 * looked at, so that the search stays short. */
static float *buffer_take(Tape *tape, size_t floats) {
    GradBuffer **link = &tape->spare;
    for (int tried = 0; tried < MOST_TRIED && *link != NULL; tried++, link = &(*link)->next) {
        GradBuffer *buffer = *link;
        if (buffer->floats >= floats && buffer->floats / 2 <= floats) {
            *link = buffer->next;
            return (void *)((char *)buffer + ARENA_ALIGNMENT);
        }
    }
    GradBuffer *buffer = arena_alloc(&tape->arena, ARENA_ALIGNMENT + floats * sizeof(float));
    buffer->floats = floats;
    return (void *)((char *)buffer + ARENA_ALIGNMENT);
}

static void buffer_give_back(Tape *tape, float *memory) {
    GradBuffer *buffer = (void *)((char *)memory - ARENA_ALIGNMENT);
    buffer->next = tape->spare;
    tape->spare = buffer;
}

/* Gives x its gradient, unless it has one already. True: x is the first to be written to, nothing
 * is in that memory yet, and the node may store. A view shares the gradient of its origin: when it
 * is reached first and is not all of it, the origin's gradient begins as zeros, whatever the node
 * can do, since other parts of it may come later or never. */
static bool gradient_begin(Tape *tape, Tensor *x, bool can_store) {
    if (!x->grad_comes) {
        return false;
    }
    Tensor *owner = x->origin != NULL ? x->origin : x;
    size_t size = tensor_size(owner);
    bool first = owner->grad == NULL, store = first && can_store && tensor_size(x) == size;
    if (first) {
        owner->grad = owner->grad_home != NULL ? owner->grad_home : buffer_take(tape, size);
    }
    if (first && !store) {
        set_zero(owner->grad, (long)size);
    }
    x->grad = owner->grad + x->origin_begin;
    return store;
}

/* After a node: a result gives its gradient back, and views let go of what they shared, since that
 * memory may soon be another's. */
static void gradients_end(Tape *tape, const TapeNode *node) {
    for (int i = 0; i < node->in_count; i++) {
        if (node->in[i] != NULL && node->in[i]->origin != NULL) {
            node->in[i]->grad = NULL;
        }
    }
    if (node->out->grad_comes) {
        buffer_give_back(tape, node->out->grad);
        node->out->grad = NULL;
    }
}

/* One node of the way back. A result that nothing has flowed back into passes nothing on. */
static void node_backward(Tape *tape, const TapeNode *node) {
    if (node->out->grad == NULL) {
        return;
    }
    for (int i = 0; i < node->in_count; i++) {
        bool stores = node->in[i] != NULL && gradient_begin(tape, node->in[i], node->first != NULL);
        if (node->first != NULL) {
            node->first[i] = stores;
        }
    }
    node->backward(node);
    for (int i = 0; tape->check_finite && i < node->in_count; i++) {
        if (node->in[i] != NULL && node->in[i]->grad != NULL) {
            check_finite(node->op, "the gradient of", node->in[i], node->in[i]->grad);
        }
    }
    gradients_end(tape, node);
}

void tape_backward_from(Tape *tape, Tensor *out) {
    CHECK(out->grad != NULL, "tape_backward: %s has no gradient: nothing it was made from has one",
          tensor_text(out).text);
    for (const TapeNode *node = tape->last; node != NULL; node = node->before) {
        node_backward(tape, node);
    }
}

void tape_backward(Tape *tape, Tensor *loss) {
    CHECK(tensor_size(loss) == 1, "tape_backward: the loss must be one number, not %s",
          tensor_text(loss).text);
    gradient_begin(tape, loss, true);
    CHECK(loss->grad != NULL, "tape_backward: %s has no gradient: nothing it was made from has one",
          tensor_text(loss).text);
    loss->grad[0] = 1.0f;
    tape_backward_from(tape, loss);
}
