#include "nn/classifier.h"

#include "core/check.h"
#include "nn/attention.h"

#include <math.h>

Classifier classifier_new(Params *params, ClassifierSizes sizes, CellKind kind, float bias,
                          bool attention) {
    int H = sizes.H;
    Init init = init_uniform(1.0f / sqrtf((float)H));
    return (Classifier){
        .embedding = embedding_new(params, "embedding", sizes.V, sizes.E),
        .cell = recurrent_new(params, "cell", kind, sizes.E, H, bias),
        .query = attention ? params_add(params, "attention", "query", init, SHAPE(1, H)) : NULL,
        .readout = linear_new(params, "readout", H, sizes.K, true),
    };
}

/* All states (T, B, H); nothing flows back through those before the last `reach` steps. */
static Tensor *states(Tape *tape, const Recurrent *cell, Tensor *x, int reach, CellState *last) {
    int T = x->dim[0];
    SequenceOptions all = {0};
    if (reach >= T) {
        return recurrent_forward(tape, cell, x, (CellState){0}, all, last);
    }
    CHECK(reach >= 1, "classifier: the gradient must reach back at least 1 step, not %d", reach);
    CellState border;
    Tensor *early = recurrent_forward(tape, cell, op_slice(tape, x, 0, T - reach), (CellState){0},
                                      all, &border);
    border.h = op_detach(tape, border.h);
    border.c = border.c != NULL ? op_detach(tape, border.c) : NULL;
    Tensor *late =
        recurrent_forward(tape, cell, op_slice(tape, x, T - reach, T), border, all, last);
    return op_concat(tape, 0, (Tensor *const[]){op_detach(tape, early), late}, 2);
}

Tensor *classifier_logits(Tape *tape, const Classifier *classifier, const int *ids, int T, int B,
                          int reach) {
    Tensor *x = embedding_forward(tape, &classifier->embedding, ids, T, B);
    CellState last;
    Tensor *h = states(tape, &classifier->cell, x, reach, &last);
    if (classifier->query == NULL) {
        return linear_forward(tape, &classifier->readout, last.h);
    }
    Tensor *keys = attention_batch_first(tape, h);                   /* (B, T, H) */
    Tensor *scores = op_linear(tape, keys, classifier->query, NULL); /* (B, T, 1) */
    Attended read = attend(tape, op_reshape(tape, scores, SHAPE(B, T)), keys, NULL);
    return linear_forward(tape, &classifier->readout, read.context);
}
