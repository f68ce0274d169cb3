/* A table of vectors, looked up by number. */
#include "core/ops.h"

#include "core/check.h"
#include "core/kernels/rows.h"

#include <string.h>

static void embedding_backward(const TapeNode *node) { /* dtable[id_i] += dy[i] */
    const int *ids = node->saved;
    Tensor *table = node->in[0];
    int D = tensor_cols(table);
    for (size_t i = 0; i < tensor_rows(node->out); i++) {
        axpy(table->grad + (size_t)ids[i] * (size_t)D, 1.0f, node->out->grad + i * (size_t)D, D);
    }
}

Tensor *op_embedding(Tape *tape, Tensor *table, const int *ids, int ndim, const int *dim) {
    CHECK(table->ndim == 2, "embedding: the table must be (V, D), not %s", tensor_text(table).text);
    CHECK(ndim < TENSOR_MAX_DIMS, "embedding: ids of %d dimensions; the most is %d", ndim,
          TENSOR_MAX_DIMS - 1);
    size_t count = tensor_check_shape("embedding", ndim, dim);
    int V = table->dim[0], D = table->dim[1];
    int out_dim[TENSOR_MAX_DIMS] = {0};
    memcpy(out_dim, dim, (size_t)ndim * sizeof *dim);
    out_dim[ndim] = D;
    int *saved = arena_alloc(&tape->arena, count * sizeof *saved);
    Tensor *y = tape_output(tape, "embedding", INPUTS(table), ndim + 1, out_dim);
    for (size_t i = 0; i < count; i++) {
        CHECK(ids[i] >= 0 && ids[i] < V, "embedding: id %d at place %zu is not in %s", ids[i], i,
              tensor_text(table).text);
        saved[i] = ids[i];
        memcpy(y->data + i * (size_t)D, table->data + (size_t)ids[i] * (size_t)D,
               (size_t)D * sizeof(float));
    }
    tape_record(tape, "embedding", embedding_backward, y, INPUTS(table), saved);
    return y;
}
