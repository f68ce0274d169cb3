#include "support/tensors.h"

#include "core/measure.h"
#include "lesson/experiments/head_removal.h"

#include <stdlib.h>

/* A layer, a fixed input, and as its "loss" the sum of what comes out. */
typedef struct Model {
    Params params;
    MultiHead layer;
    float x[3 * 6];
    Tensor *weights;
    Tape tape;
} Model;

static void model_new(Model *m, bool packed, uint64_t seed) {
    *m = (Model){.params = params_new(), .tape = tape_new()};
    Rng rng = rng_seeded(seed, 1);
    m->layer = multi_head_new(&m->params, "a", 6, 3, packed);
    params_allocate(&m->params, &rng);
    fill_random(m->params.data, m->params.size, -1, 1, &rng); /* biases, too */
    fill_random(m->x, 18, -1, 1, &rng);
}

static void model_free(Model *m) {
    params_free(&m->params);
    tape_free(&m->tape);
}

static double sum_of(void *model) {
    Model *m = model;
    tape_reset(&m->tape);
    Tensor *x = tape_constant(&m->tape, "x", m->x, SHAPE(1, 3, 6));
    Tensor *y = multi_head_self(&m->tape, &m->layer, x, (Look){.weights = &m->weights});
    double sum = 0.0;
    for (size_t i = 0; i < tensor_size(y); i++) {
        sum += (double)y->data[i];
    }
    return sum;
}

/* What each head adds, together with the bias, is the whole; and the weights are as they were. */
static void test_heads_add_up(void **state) {
    (void)state;
    Model m;
    model_new(&m, false, 3);
    float *before = copy_of(m.params.data, m.params.size);
    double whole = sum_of(&m), bias = 0.0, added = 0.0;
    for (int i = 0; i < 6; i++) {
        bias += 3.0 * (double)m.layer.out.bias->data[i];
    }
    for (int h = 0; h < 3; h++) {
        double rise = head_rise(&m.layer, h, sum_of, &m, whole);
        assert_true(fabs(rise) > 1e-4);
        added -= rise;
        assert_same_bits(m.params.data, before, m.params.size);
    }
    assert_close(added + bias, whole, 1e-4, 1e-4);
    const MultiHead *layers[] = {&m.layer};
    assert_close(heads_rise(layers, 1, sum_of, &m, whole), bias - whole, 1e-4, 1e-4);
    assert_same_bits(m.params.data, before, m.params.size);
    free(before);
    model_free(&m);
}

/* A dead head is not missed, its map is as it was, and the other heads are, too. */
static void test_killing(void **state) {
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        Model m;
        model_new(&m, packed != 0, 4);
        double whole = sum_of(&m);
        float *map = copy_of(m.weights->data, tensor_size(m.weights));
        double rise = head_rise(&m.layer, 1, sum_of, &m, whole);
        double other = head_rise(&m.layer, 2, sum_of, &m, whole);
        head_kill(&m.layer, 1);
        double killed = sum_of(&m);
        assert_close(killed - whole, rise, 1e-5, 1e-5);
        assert_all_close(m.weights->data, map, tensor_size(m.weights), 0, 0);
        assert_close(head_rise(&m.layer, 1, sum_of, &m, killed), 0.0, 0, 0);
        assert_close(head_rise(&m.layer, 2, sum_of, &m, killed), other, 1e-5, 1e-5);
        free(map);
        model_free(&m);
    }
}

static void test_no_such_head(void **state) {
    (void)state;
    Model m;
    model_new(&m, false, 4);
    expect_check_message("head 3 of a layer of 3", head_kill(&m.layer, 3));
    expect_check_message("head -1 of a layer of 3", head_rise(&m.layer, -1, sum_of, &m, 0));
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads_add_up),
        cmocka_unit_test(test_killing),
        cmocka_unit_test(test_no_such_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
