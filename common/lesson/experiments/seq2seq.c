#include "lesson/experiments/seq2seq.h"

Seq2seq seq2seq_new(int V_source, int V, int E, int H) {
    Seq2seq model = {.V = V, .E = E, .H = H, .params = params_new()};
    model.encoder = encoder_new(&model.params, "encoder", V_source, E, H, true);
    model.bridge = linear_new(&model.params, "bridge", H, H, true);
    model.words = embedding_new(&model.params, "words", V, E);
    model.out = linear_new(&model.params, "out", H, V, true);
    return model;
}

void seq2seq_look_at(Seq2seq *model, Tape *tape, Tensor *h, const int *length, Tensor *first) {
    int B = h->dim[0], S = h->dim[1];
    model->tape = tape;
    model->h = h;
    model->length = length;
    model->mask = mask_padding(&tape->arena, length, B, S);
    model->weights = tape_constant(tape, "weights", NULL, SHAPE(B, S));
    model->look_at(model, tape, first);
}

static void begin(void *context, Tape *tape, const Batch *batch) {
    Seq2seq *model = context;
    Encoded source = encoder_forward(tape, &model->encoder, batch->source, batch->source_length,
                                     batch->S, batch->B);
    Tensor *first = op_tanh(tape, linear_forward(tape, &model->bridge, source.last));
    seq2seq_look_at(model, tape, source.states, batch->source_length, first);
}

static Tensor *loss(void *context, Tape *tape, const Batch *batch) {
    Seq2seq *model = context;
    int T = batch->T;
    Tensor **found = arena_alloc(&tape->arena, (size_t)T * sizeof *found);
    begin(model, tape, batch);
    Tensor *y = embedding_forward(tape, &model->words, batch->target_input, T, batch->B);
    for (int t = 0; t < T; t++) {
        found[t] = model->advance(model, tape, op_index(tape, y, t));
    }
    Tensor *logits = linear_forward(tape, &model->out, op_stack(tape, found, T)); /* (T, B, V) */
    return op_cross_entropy(tape, logits, batch->target_output,
                            (CrossEntropy){.ignore = VOCAB_PAD});
}

static DecoderOutput step(void *context, Tape *tape, const int *previous) {
    Seq2seq *model = context;
    Tensor *y = embedding_step(tape, &model->words, previous, model->h->dim[0]);
    Tensor *scores = linear_forward(tape, &model->out, model->advance(model, tape, y)); /* (B, V) */
    return (DecoderOutput){scores, model->weights};
}

/* Rows of a table looked up by number: the states of the parents. What belongs to the source is the
 * same in all rows of one sentence and stays. */
static void reorder(void *context, const int *parent) {
    Seq2seq *model = context;
    for (int i = 0; i < SEQ2SEQ_KEPT && model->kept[i] != NULL; i++) {
        Tensor **kept = model->kept[i];
        *kept = op_embedding(model->tape, *kept, parent, SHAPE((*kept)->dim[0]));
    }
}

Translator seq2seq_translator(Seq2seq *model) {
    return (Translator){.model = model,
                        .params = &model->params,
                        .V = model->V,
                        .loss = loss,
                        .begin = begin,
                        .step = step,
                        .reorder = model->kept[0] != NULL ? reorder : NULL};
}
