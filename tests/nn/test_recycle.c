/* Whole models trained on a tape that recycles gradients, with gradients that are stored and not
 * added, end with the same weights as on a tape that keeps everything. */
#include "support/tensors.h"

#include "core/optim.h"
#include "nn/recurrent.h"
#include "nn/transformer.h"

#include <stdlib.h>

enum { B = 3, L = 7, D = 8, V = 9, STEPS = 3 };

typedef struct Model {
    Params params;
    Transformer translator;
    DecoderOnly writer;
    Recurrent cell;
    int ids[B * L], labels[B * L];
} Model;

typedef Tensor *(*Loss)(Tape *tape, Model *model, uint64_t step);

static Tensor *cross_entropy(Tape *tape, Tensor *logits, const Model *model) {
    CrossEntropy options = {.ignore = 0, .smoothing = 0.1f};
    return op_cross_entropy(tape, logits, model->labels, options);
}

static Tensor *of_translator(Tape *tape, Model *model, uint64_t step) {
    static const int length[B] = {7, 2, 4};
    Dropout dropout = {.key = step};
    Tensor *memory =
        transformer_encode(tape, &model->translator, model->ids, length, B, L, &dropout, NULL);
    return cross_entropy(tape,
                         transformer_decode(tape, &model->translator, model->labels, B, L, memory,
                                            length, &dropout, NULL),
                         model);
}

static Tensor *of_writer(Tape *tape, Model *model, uint64_t step) {
    Dropout dropout = {.key = step};
    return cross_entropy(
        tape, decoder_only_forward(tape, &model->writer, model->ids, B, L, NULL, &dropout, NULL),
        model);
}

/* The last state and, where there is one, the last cell; without the states in between. */
static Tensor *of_cell(Tape *tape, Model *model, uint64_t step) {
    static const int length[B] = {7, 1, 4};
    Rng rng = rng_seeded(step, 0);
    Tensor *x = random_constant(tape, &rng, "x", SHAPE(L, B, D));
    SequenceOptions options = {.len = step == 1 ? NULL : length, .reverse = step == 2};
    CellState none = {NULL, NULL}, last;
    Tensor *y = recurrent_forward(tape, &model->cell, x, none, options, &last);
    y = recurrent_forward(tape, &model->cell, y, last, options,
                          &last); /* twice, the same weights */
    Tensor *loss = op_sum(tape, op_mul(tape, last.h, last.h));
    return last.c != NULL ? op_add(tape, loss, op_sum(tape, op_tanh(tape, last.c))) : loss;
}

/* Only the cell flows back, not the states. */
static Tensor *of_memory(Tape *tape, Model *model, uint64_t step) {
    Rng rng = rng_seeded(step, 0);
    Tensor *x = random_constant(tape, &rng, "x", SHAPE(L, B, D));
    CellState last;
    recurrent_forward(tape, &model->cell, x, (CellState){NULL, NULL}, (SequenceOptions){0}, &last);
    return op_sum(tape, op_tanh(tape, last.c));
}

/* Only the states flow back, not the cell: its gradient must not be what was in that memory. */
static Tensor *of_states(Tape *tape, Model *model, uint64_t step) {
    Rng rng = rng_seeded(step, 0);
    Tensor *x = random_constant(tape, &rng, "x", SHAPE(L, B, D));
    CellState last;
    Tensor *y = recurrent_forward(tape, &model->cell, x, (CellState){NULL, NULL},
                                  (SequenceOptions){0}, &last);
    return op_sum(tape, op_tanh(tape, y));
}

static Model model_new(Loss loss, int form) {
    Model model = {.params = params_new()};
    TransformerConfig config = {.layer = {.d_model = D,
                                          .heads = 2,
                                          .d_ff = 12,
                                          .dropout = .2f,
                                          .attention_dropout = .1f,
                                          .post_ln = form == 1,
                                          .separate = form == 2},
                                .encoder_layers = 2,
                                .decoder_layers = 2,
                                .position = (PositionKind)form,
                                .max_length = L,
                                .tied = form % 2 == 0};
    if (loss == of_translator) {
        model.translator = transformer_new(&model.params, "model", V, V, config);
    } else if (loss == of_writer) {
        model.writer = decoder_only_new(&model.params, "model", V, config);
    } else {
        model.cell = recurrent_new(&model.params, "cell", (CellKind)(form % 3), D, D, 0.0f);
    }
    Rng rng = rng_seeded(3, 0);
    params_allocate(&model.params, &rng);
    for (int i = 0; i < B * L; i++) {
        model.ids[i] = (int)rng_below(&rng, V);
        model.labels[i] = (int)rng_below(&rng, V);
    }
    return model;
}

/* The weights after some steps; to be released. */
static float *trained(Loss loss, int form, bool recycle, size_t *size) {
    Model model = model_new(loss, form);
    Adam adam = adam_new(&model.params);
    Tape tape = tape_new();
    tape.recycle = recycle;
    for (uint64_t step = 1; step <= STEPS; step++) {
        tape_reset(&tape);
        if (recycle) {
            params_begin_grad(&model.params);
        } else {
            params_zero_grad(&model.params);
        }
        tape_backward(&tape, loss(&tape, &model, step));
        if (recycle) {
            adam_step_clipped(&adam, 0.01f, 0.5);
        } else {
            params_clip_norm(&model.params, 0.5);
            adam_step(&adam, 0.01f);
        }
    }
    *size = model.params.size;
    float *weights = copy_of(model.params.data, *size);
    adam_free(&adam);
    tape_free(&tape);
    params_free(&model.params);
    return weights;
}

static void compare(Loss loss, int form) {
    size_t size, other_size;
    float *kept = trained(loss, form, false, &size);
    float *recycled = trained(loss, form, true, &other_size);
    assert_int_equal(size, other_size);
    for (size_t i = 0; i < size; i++) {
        assert_true(kept[i] == recycled[i]);
    }
    free(kept);
    free(recycled);
}

static void test_transformers(void **state) {
    (void)state;
    for (int form = 0; form < 5; form++) {
        compare(of_translator, form);
        compare(of_writer, form);
    }
}

static void test_recurrent_layers(void **state) {
    (void)state;
    for (int kind = CELL_RNN; kind <= CELL_GRU; kind++) {
        compare(of_cell, kind);
    }
    compare(of_memory, CELL_LSTM);
    compare(of_states, CELL_LSTM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transformers),
        cmocka_unit_test(test_recurrent_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
