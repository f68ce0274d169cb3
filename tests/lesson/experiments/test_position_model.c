#include "lesson/experiments/library_positions.h"
#include "support/stage.h"
#include "support/tensors.h"

#include <stdlib.h>

enum { B = 3, L = 5, V = 7, D = 12, H = 2, LAYERS = 2 };

static const PositionPlan small = {
    .causal = true, .V = V, .d = D, .heads = H, .layers = LAYERS, .max_length = 20};

static void draw_ids(int *ids, int n, uint64_t seed) {
    Rng rng = rng_seeded(seed, 9);
    for (int i = 0; i < n; i++) {
        ids[i] = (int)rng_below(&rng, V);
    }
}

/* The same weights through the layers of nn/transformer_layer.h. */
static Tensor *layers_of_nn(const PositionModel *m, Tape *tape, const int *ids) {
    Tensor *words = op_embedding(tape, m->words.table, ids, SHAPE(B, L));
    Tensor *x = position_add(tape, &m->position, op_scale(tape, words, sqrtf((float)D)), 0);
    for (int i = 0; i < LAYERS; i++) {
        Look look = {.causal = m->plan.causal, .position = &m->position};
        x = encoder_layer_forward(tape, &m->layer[i], x, look, NULL);
    }
    return linear_forward(tape, &m->out, layernorm_forward(tape, &m->norm, x));
}

static void test_it_is_a_pre_ln_transformer(void **state) {
    (void)state;
    int ids[B * L];
    draw_ids(ids, B * L, 1);
    for (int kind = POSITION_NONE; kind <= POSITION_ALIBI; kind++) {
        PositionPlan plan = small;
        plan.causal = kind % 2 == 0;
        PositionModel m;
        library_model(&m, (PositionKind)kind, plan, 3);
        Tape tape = tape_new(), other = tape_new();
        Tensor *logits = position_model_logits(&m, &tape, ids, B, L);
        assert_shape(logits, B, L, V);
        backward_random(&tape, logits, 4);
        float *grad = copy_of(m.params.grad, m.params.size);
        params_zero_grad(&m.params);
        Tensor *wanted = layers_of_nn(&m, &other, ids);
        backward_random(&other, wanted, 4);
        assert_all_close(logits->data, wanted->data, tensor_size(wanted), 1e-5, 1e-4);
        assert_all_close(grad, m.params.grad, m.params.size, 1e-4, 1e-3);
        free(grad);
        tape_free(&tape);
        tape_free(&other);
        position_model_free(&m);
    }
}

/* What the kinds have in common starts the same, whoever has a table besides. */
static void test_shared_first_weights(void **state) {
    (void)state;
    PositionModel a, b;
    library_model(&a, POSITION_NONE, small, 5);
    library_model(&b, POSITION_LEARNED, small, 5);
    assert_same_bits(b.params.data, a.params.data, a.params.size);
    assert_true(b.params.size > a.params.size);
    assert_shape(b.position.table, 20, D);
    double square = 0.0;
    for (int i = 0; i < V * D; i++) {
        square += (double)(a.words.table->data[i] * a.words.table->data[i]);
    }
    assert_close(square / V, 1.0, 0.35, 0); /* words of length 1 */
    assert_true(a.layer[0].self.q.w->data[0] != a.layer[1].self.q.w->data[0]);
    position_model_free(&a);
    position_model_free(&b);
}

static void test_pooled_and_weights(void **state) {
    (void)state;
    int ids[B * L];
    draw_ids(ids, B * L, 2);
    PositionPlan plan = small;
    plan.outputs = 2;
    PositionModel m;
    library_model(&m, POSITION_ROPE, plan, 6);
    Tape tape = tape_new();
    Tensor *weights[POSITION_MODEL_LAYERS];
    Tensor *states = position_model_states(&m, &tape, ids, B, L, weights);
    Tensor *plain = position_model_states(&m, &tape, ids, B, L, NULL);
    assert_same_bits(states->data, plain->data, tensor_size(plain));
    for (int i = 0; i < LAYERS; i++) {
        assert_shape(weights[i], B, H, L, L);
        assert_close(weights[i]->data[1], 0.0, 0, 0); /* causal: token 0 sees itself */
    }
    Tensor *pooled = position_model_pooled(&m, &tape, ids, B, L);
    assert_shape(pooled, B, 2);
    for (int b = 0; b < B; b++) {
        for (int k = 0; k < 2; k++) {
            double sum = (double)m.out.bias->data[k];
            for (int i = 0; i < L * D; i++) {
                sum += (double)(states->data[b * L * D + i] * m.out.w->data[k * D + i % D]) / L;
            }
            assert_close(pooled->data[2 * b + k], sum, 1e-4, 1e-4);
        }
    }
    tape_free(&tape);
    position_model_free(&m);
}

/* Two kinds know places, the others do not; `start` is left as it was. */
static void test_moved(void **state) {
    (void)state;
    int ids[B * L];
    draw_ids(ids, B * L, 3);
    for (int kind = POSITION_NONE; kind <= POSITION_ALIBI; kind++) {
        PositionModel m;
        library_model(&m, (PositionKind)kind, small, 7);
        m.start = 2;
        double moved = position_model_moved(&m, ids, B, L, 11);
        bool absolute = kind == POSITION_SINUSOIDAL || kind == POSITION_LEARNED;
        assert_true(absolute ? moved > 1e-2 : moved < 1e-4);
        assert_close(position_model_moved(&m, ids, B, L, 0), 0, 0, 0);
        assert_int_equal(m.start, 2);
        position_model_free(&m);
    }
}

static void play_refusals(Run *run, void *context) {
    Refusal *refusal = context;
    const PositionArms arms = {position_names, 5, library_make};
    refusal[0] = position_refusal(run, &arms, POSITION_LEARNED, small, 21);
    refusal[1] = position_refusal(run, &arms, POSITION_LEARNED, small, 20);
    refusal[2] = position_refusal(run, &arms, POSITION_SINUSOIDAL, small, 21);
}

static void test_refusal(void **state) {
    (void)state;
    Refusal refusal[3];
    Stage stage = stage_play(play_refusals, refusal, "--no-plots");
    assert_true(refusal[0].refused);
    assert_non_null(strstr(refusal[0].message, "21"));
    assert_non_null(strstr(refusal[0].message, "20"));
    assert_false(refusal[1].refused);
    assert_false(refusal[2].refused);
    lesson_run_free(&stage);
}

static void test_too_many_layers(void **state) {
    (void)state;
    PositionPlan plan = small;
    PositionModel m;
    Rng rng = rng_seeded(1, 1);
    plan.layers = POSITION_MODEL_LAYERS + 1;
    expect_check_message("5 layers", position_model_new(&m, plan, &rng));
    plan.layers = 0;
    expect_check_message("0 layers", position_model_new(&m, plan, &rng));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_is_a_pre_ln_transformer),
        cmocka_unit_test(test_shared_first_weights),
        cmocka_unit_test(test_pooled_and_weights),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_refusal),
        cmocka_unit_test(test_too_many_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
