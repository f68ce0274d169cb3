#include "nn/embedding.h"

Embedding embedding_new(Params *params, const char *name, int V, int D) {
    return (Embedding){params_add(params, name, "table", init_normal(1.0f), SHAPE(V, D))};
}

Tensor *embedding_forward(Tape *tape, const Embedding *layer, const int *ids, int T, int B) {
    return op_embedding(tape, layer->table, ids, SHAPE(T, B));
}

Tensor *embedding_step(Tape *tape, const Embedding *layer, const int *ids, int B) {
    return op_embedding(tape, layer->table, ids, SHAPE(B));
}
