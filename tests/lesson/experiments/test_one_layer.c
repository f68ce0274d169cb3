#include "support/tensors.h"

#include "lesson/experiments/one_layer.h"

/* Attention that does nothing, or that looks where it should. */
static Tensor *pass(void *context, Tape *tape, const MultiHead *layer, Tensor *x,
                    Tensor **weights) {
    int *calls = context;
    (void)tape;
    (void)layer;
    (void)weights;
    (*calls)++;
    return x;
}

static Tensor *attend_to_all(void *context, Tape *tape, const MultiHead *layer, Tensor *x,
                             Tensor **weights) {
    (void)context;
    return multi_head_self(tape, layer, x, (Look){.weights = weights});
}

static OneLayerPlan plan_of(int segments, AttendFunction attend, void *context) {
    return (OneLayerPlan){.V = 5,
                          .L = 3,
                          .segments = segments,
                          .d_model = 4,
                          .heads = 2,
                          .outputs = 6,
                          .attend = attend,
                          .context = context};
}

/* Out of embedding, position, segment, norm and the last layer, nothing else. */
static void test_without_attention_by_hand(void **state) {
    (void)state;
    int calls = 0;
    OneLayerPlan plan = plan_of(2, pass, &calls);
    Rng rng = rng_seeded(1, 1);
    OneLayer m = one_layer_new(&plan, &rng);
    Tape tape = tape_new();
    const int ids[] = {4, 0, 2}, segments[] = {0, 1, 1};
    Tensor *y = one_layer_forward(&m, &tape, ids, segments, 1, NULL);
    assert_shape(y, 1, 3, 6);
    assert_int_equal(calls, 1);
    for (int t = 0; t < 3; t++) {
        double x[4], mean = 0.0, variance = 0.0;
        for (int i = 0; i < 4; i++) {
            x[i] = (double)m.words.table->data[ids[t] * 4 + i] +
                   (double)m.positions->data[t * 4 + i] +
                   (double)m.segments.table->data[segments[t] * 4 + i];
            mean += x[i] / 4;
        }
        for (int i = 0; i < 4; i++) {
            variance += (x[i] - mean) * (x[i] - mean) / 4;
        }
        for (int o = 0; o < 6; o++) {
            double out = (double)m.out.bias->data[o];
            for (int i = 0; i < 4; i++) {
                out += (double)m.out.w->data[o * 4 + i] * (x[i] - mean) / sqrt(variance + 1e-5);
            }
            assert_close(y->data[t * 6 + o], out, 1e-5, 1e-4);
        }
    }
    tape_free(&tape);
    one_layer_free(&m);
}

/* A token reaches another position through attention, and not without it; rows of a batch do not
 * mix (fault 14: B differs from L). */
static void test_who_reaches_whom(void **state) {
    (void)state;
    int calls = 0;
    for (int with = 0; with < 2; with++) {
        OneLayerPlan plan = plan_of(0, with ? attend_to_all : pass, &calls);
        Rng rng = rng_seeded(1, 1);
        OneLayer m = one_layer_new(&plan, &rng);
        Tape tape = tape_new();
        const int before[] = {4, 0, 2, 4, 0, 2}, after[] = {4, 0, 2, 3, 0, 2};
        Tensor *weights = NULL;
        Tensor *a = one_layer_forward(&m, &tape, before, NULL, 2, &weights);
        Tensor *b = one_layer_forward(&m, &tape, after, NULL, 2, &weights);
        assert_same_bits(a->data, a->data + 18, 18);
        assert_same_bits(a->data, b->data, 18);
        assert_true(a->data[18] != b->data[18]);
        assert_int_equal(a->data[18 + 12] != b->data[18 + 12], with);
        if (with) {
            assert_shape(weights, 2, 2, 3, 3);
        }
        tape_free(&tape);
        one_layer_free(&m);
    }
}

static void test_refusals(void **state) {
    (void)state;
    int calls = 0;
    Rng rng = rng_seeded(1, 1);
    Tape tape = tape_new();
    OneLayerPlan plan = plan_of(2, pass, &calls);
    const int ids[] = {0, 0, 0};
    OneLayer m = one_layer_new(&plan, &rng);
    expect_check_message("2 segments", one_layer_forward(&m, &tape, ids, NULL, 1, NULL));
    one_layer_free(&m);
    plan.heads = 17;
    expect_check_message("17 heads", one_layer_new(&plan, &rng));
    tape_free(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_attention_by_hand),
        cmocka_unit_test(test_who_reaches_whom),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
