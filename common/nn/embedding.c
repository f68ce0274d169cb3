#include "nn/embedding.h"

#include <math.h>

Embedding embedding_new(Params *params, const char *name, int V, int D) {
    return (Embedding){params_add(params, name, "table", init_normal(1.0f), SHAPE(V, D))};
}

Embedding embedding_new_small(Params *params, const char *name, int V, int D) {
    Init init = init_normal(1.0f / sqrtf((float)D));
    return (Embedding){params_add(params, name, "table", init, SHAPE(V, D))};
}

Tensor *embedding_scaled(Tape *tape, const Embedding *layer, const int *ids, int B, int L) {
    Tensor *x = op_embedding(tape, layer->table, ids, SHAPE(B, L));
    return op_scale(tape, x, sqrtf((float)tensor_cols(layer->table)));
}

Tensor *embedding_forward(Tape *tape, const Embedding *layer, const int *ids, int T, int B) {
    return op_embedding(tape, layer->table, ids, SHAPE(T, B));
}

Tensor *embedding_step(Tape *tape, const Embedding *layer, const int *ids, int B) {
    return op_embedding(tape, layer->table, ids, SHAPE(B));
}
