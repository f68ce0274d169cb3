/* The tape: reverse-mode differentiation of whatever the program just did (define-by-run).
 *
 * An operation computes its result, then records a node: which function turns the gradient of its
 * output into gradients of its inputs. tape_backward() walks the nodes from the last to the first.
 * The walk is a loop, so the depth of the computation is limited by memory alone. Gradients
 * accumulate (+=), because a tensor may be used more than once; what arrives first may be stored.
 *
 * Everything on a tape lives in its arena and is gone after tape_reset(): call it at the top of
 * each training step.
 *
 * Source: Wengert, "A simple automatic derivative evaluation program", 1964; Rumelhart, Hinton and
 * Williams, "Learning representations by back-propagating errors", 1986. */
#ifndef CORE_TAPE_H
#define CORE_TAPE_H

#include "core/arena.h"
#include "core/tensor.h"

typedef struct TapeNode TapeNode;

/* Reads node->out->grad and adds to node->in[i]->grad, for every input that has one (or stores: see
 * tape_record_storing). */
typedef void (*BackwardFunction)(const TapeNode *node);

struct TapeNode {
    BackwardFunction backward;
    const char *op; /* "matmul", for messages */
    Tensor *out;
    Tensor **in;
    int in_count;
    void *saved; /* what the backward function needs besides inputs and output; may be NULL */
    bool *first; /* of a node that can store: which gradients it is the first to write */
    TapeNode *before;
};

typedef struct Tape {
    Arena arena;
    TapeNode *last;
    int node_count;
    bool recording;    /* false: forward only, no gradients are allocated (evaluation) */
    bool check_finite; /* true: stop at the first operation that makes a nan or an infinity */
    bool recycle;      /* true: see below */
    struct GradBuffer *spare; /* gradients that were recycled */
} Tape;

/* A tape that recycles gives the result of an operation its gradient when the first contribution
 * arrives in the backward pass, and takes it back once it has been passed on. Few gradients exist
 * at a time then, in memory that is still in the caches: made for training. Without it (as
 * tape_new() leaves it) the gradient of every result can be filled in before tape_backward_from()
 * and read after the backward pass. Inputs and parameters get the same numbers either way, and keep
 * them. Set it before the first operation of a step; all results of a step must be on one tape. */

/* An empty tape that records. Release with tape_free(). */
Tape tape_new(void);

/* Forgets all nodes and tensors of the tape; the memory is kept for the next step. */
void tape_reset(Tape *tape);

void tape_free(Tape *tape);

/* A tensor without gradient. `values` (row-major, as many as the shape says) are copied; NULL gives
 * zeros. `name` must outlive the tape's step. */
Tensor *tape_constant(Tape *tape, const char *name, const float *values, int ndim, const int *dim);

/* The same with a gradient of zeros: an input whose gradient is wanted. */
Tensor *tape_variable(Tape *tape, const char *name, const float *values, int ndim, const int *dim);

/* Shapes in place: tape_constant(tape, "x", NULL, SHAPE(32, 64)). */
#define SHAPE(...)                                                                                 \
    (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (const int[]) {                             \
        __VA_ARGS__                                                                                \
    }

/* Runs the tape backward from `loss` (one element), whose gradient is set to 1; once per tape,
 * since the gradients in between accumulate, too. Those of parameters accumulate over steps until
 * params_zero_grad(). */
void tape_backward(Tape *tape, Tensor *loss);

/* Runs it backward from any tensor whose gradient the caller has already filled in. */
void tape_backward_from(Tape *tape, Tensor *out);

/* ---- for those who write operations ---- */

/* The output of an operation: uninitialised data, and, if the tape is recording and any of the
 * inputs has a gradient, a gradient of zeros (or the promise of one: use tensor_wants_grad()
 * outside of backward functions). Stops on a bad shape with `op` in the message. */
Tensor *tape_output(Tape *tape, const char *op, Tensor *const *in, int in_count, int ndim,
                    const int *dim);

/* To be called last by an operation, when out->data is filled: checks for non-finite values if
 * asked to, and, if `out` has a gradient, appends the node. `saved` must live on the tape's arena.
 */
void tape_record(Tape *tape, const char *op, BackwardFunction backward, Tensor *out,
                 Tensor *const *in, int in_count, void *saved);

/* The same for a backward function that asks tape_adds() about each input it has a gradient for, in
 * the order of the inputs. */
void tape_record_storing(Tape *tape, const char *op, BackwardFunction backward, Tensor *out,
                         Tensor *const *in, int in_count, void *saved);

/* Must the node add to the gradient of in[i]? If not, it is the first to write it: it must store
 * every element, since there is nothing yet in that memory. */
bool tape_adds(const TapeNode *node, int i);

/* The list of inputs in place: INPUTS(a, b) stands for the two arguments (in, in_count). */
#define INPUTS(...)                                                                                \
    (Tensor *const[]){__VA_ARGS__}, (int)(sizeof((Tensor *const[]){__VA_ARGS__}) / sizeof(Tensor *))

/* A tensor header on the arena that shares data and gradient with `x` from element `offset` on. */
Tensor *tape_view(Tape *tape, const Tensor *x, size_t offset, int ndim, const int *dim);

#endif
