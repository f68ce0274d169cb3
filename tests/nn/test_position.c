#include "support/gradient_check.h"

#include "nn/position.h"

/* ---- sinusoids ---- */

/* Fault 13: column 1 at position 1 is the cosine of the same angle as column 0. */
static void test_sinusoids_by_hand(void **state) {
    (void)state;
    float pe[3 * 4];
    sinusoidal_table(pe, 0, 3, 4);
    const double expected[] = {
        0,      1,       0,        1,      /* p = 0 */
        .84147, .54030,  .0099998, .99995, /* sin 1, cos 1, sin .01, cos .01 */
        .90930, -.41615, .0199987, .9998,  /* sin 2, cos 2, sin .02, cos .02 */
    };
    for (int i = 0; i < 12; i++) {
        assert_close(pe[i], expected[i], 1e-5, 0.0);
    }
}

/* Fault 12: an odd width has one sine more than cosines. */
static void test_odd_widths(void **state) {
    (void)state;
    float pe[2 * 5], one[3];
    sinusoidal_table(pe, 0, 2, 5);
    assert_true(pe[0] == 0.0f && pe[1] == 1.0f && pe[2] == 0.0f && pe[3] == 1.0f && pe[4] == 0.0f);
    for (int i = 0; i < 5; i++) {
        double angle = pow(10000.0, -(i / 2 * 2) / 5.0);
        assert_close(pe[5 + i], i % 2 == 0 ? sin(angle) : cos(angle), 1e-6, 0.0);
    }
    sinusoidal_table(one, 0, 3, 1);
    for (int p = 0; p < 3; p++) {
        assert_close(one[p], sin(p), 1e-6, 0.0);
    }
}

static void test_a_table_may_begin_anywhere(void **state) {
    (void)state;
    enum { D = 7, L = 20 };
    float all[L * D], later[5 * D];
    sinusoidal_table(all, 0, L, D);
    sinusoidal_table(later, 12, 5, D);
    assert_same_bits(later, all + 12 * D, 5 * D);
}

/* ---- ALiBi ---- */

static void test_alibi_slopes_of_powers_of_two(void **state) {
    (void)state;
    float slopes[8];
    alibi_slopes(slopes, 8);
    for (int h = 0; h < 8; h++) {
        assert_close(slopes[h], 1.0 / (2 << h), 0.0, 1e-6); /* 1/2, 1/4 ... 1/256 */
    }
    alibi_slopes(slopes, 1);
    assert_close(slopes[0], 1.0 / 256, 0.0, 1e-6);
    alibi_slopes(slopes, 2);
    assert_close(slopes[0], 1.0 / 16, 0.0, 1e-6);
    assert_close(slopes[1], 1.0 / 256, 0.0, 1e-6);
}

/* Twelve heads: the eight of 8, then every other one of 16. */
static void test_alibi_slopes_of_other_numbers(void **state) {
    (void)state;
    float of_12[12], of_8[8], of_16[16];
    alibi_slopes(of_12, 12);
    alibi_slopes(of_8, 8);
    alibi_slopes(of_16, 16);
    assert_same_bits(of_12, of_8, 8);
    for (int i = 0; i < 4; i++) {
        assert_true(of_12[8 + i] == of_16[2 * i]);
    }
}

/* ---- in a model ---- */

static Position position_on(Params *params, PositionKind kind, int d_model, int max_length) {
    Position position = position_new(params, "position", kind, d_model, 2, max_length);
    if (params->count > 0) {
        Rng rng = rng_seeded(1, 0);
        params_allocate(params, &rng);
    }
    return position;
}

/* Fault 14: the rows of a batch get the same encodings, each token those of its place. */
static void test_added_along_the_tokens(void **state) {
    (void)state;
    enum { B = 2, L = 3, D = 4 };
    const PositionKind kinds[] = {POSITION_SINUSOIDAL, POSITION_LEARNED};
    for (int k = 0; k < 2; k++) {
        Params params = params_new();
        Position position = position_on(&params, kinds[k], D, 8);
        Tape tape = tape_new();
        Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(B, L, D));
        Tensor *y = position_add(&tape, &position, x, 5);
        assert_shape(y, B, L, D);
        assert_same_bits(y->data, y->data + L * D, L * D);
        float table[L * D];
        sinusoidal_table(table, 5, L, D);
        assert_same_bits(y->data, k == 0 ? table : position.table->data + 5 * D, L * D);
        tape_free(&tape);
        params_free(&params);
    }
}

static void test_kinds_that_add_nothing(void **state) {
    (void)state;
    const PositionKind kinds[] = {POSITION_NONE, POSITION_ROPE, POSITION_ALIBI};
    for (int k = 0; k < 3; k++) {
        Params params = params_new();
        Position position = position_on(&params, kinds[k], 4, 8);
        assert_int_equal(params.count, 0);
        Tape tape = tape_new();
        Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(2, 30, 4));
        assert_ptr_equal(position_add(&tape, &position, x, 100), x);
        tape_free(&tape);
    }
}

static void test_alibi_holds_slopes(void **state) {
    (void)state;
    Params params = params_new();
    Position position = position_new(&params, "position", POSITION_ALIBI, 12, 6, 0);
    float slopes[6];
    alibi_slopes(slopes, 6);
    assert_same_bits(position.slopes, slopes, 6);
}

static void test_words(void **state) {
    (void)state;
    assert_string_equal(position_names[POSITION_NONE], "none");
    assert_string_equal(position_names[POSITION_SINUSOIDAL], "sinusoidal");
    assert_string_equal(position_names[POSITION_LEARNED], "learned");
    assert_string_equal(position_names[POSITION_ROPE], "rope");
    assert_string_equal(position_names[POSITION_ALIBI], "alibi");
    assert_null(position_names[POSITION_ALIBI + 1]);
}

static void test_learned_table_is_normal_and_learns(void **state) {
    (void)state;
    enum { L = 50, D = 40 };
    Params params = params_new();
    Position position = position_on(&params, POSITION_LEARNED, D, L);
    assert_string_equal(position.table->name, "position.table");
    assert_shape(position.table, L, D);
    double square = 0.0;
    for (int i = 0; i < L * D; i++) {
        square += (double)position.table->data[i] * (double)position.table->data[i] / (L * D);
    }
    assert_close(square, 1.0, 0.15, 0.0);
    Tape tape = tape_new();
    Tensor *x = tape_variable(&tape, "x", NULL, SHAPE(3, 2, D));
    backward_ones(&tape, position_add(&tape, &position, x, 7));
    for (int i = 0; i < L * D; i++) { /* three rows of the batch at positions 7 and 8 */
        assert_true(position.table->grad[i] == (i / D == 7 || i / D == 8 ? 3.0f : 0.0f));
    }
    tape_free(&tape);
    params_free(&params);
}

static void test_wrong_use(void **state) {
    (void)state;
    Params params = params_new();
    Position position = position_on(&params, POSITION_LEARNED, 4, 32);
    Tape tape = tape_new();
    Tensor *x = tape_constant(&tape, "x", NULL, SHAPE(1, 40, 4));
    expect_exact_message("position: 40 positions from 0, the learned table has 32",
                         position_add(&tape, &position, x, 0));
    Tensor *next = tape_constant(&tape, "next", NULL, SHAPE(1, 1, 4));
    position_add(&tape, &position, next, 31);
    expect_exact_message("position: 1 positions from 32, the learned table has 32",
                         position_add(&tape, &position, next, 32));
    Tensor *narrow = tape_constant(&tape, "narrow", NULL, SHAPE(1, 2, 3));
    expect_exact_message("position: narrow (1, 2, 3): needed is (B, L, 4)",
                         position_add(&tape, &position, narrow, 0));
    Params none = params_new();
    expect_exact_message("position: RoPE turns pairs of numbers, and heads of 3 have no pairs",
                         position_new(&none, "position", POSITION_ROPE, 6, 2, 0));
    expect_check_message("d_model 6 for 4 heads",
                         position_new(&none, "position", POSITION_NONE, 6, 4, 0));
    expect_check_message("a learned table of 0 positions",
                         position_new(&none, "position", POSITION_LEARNED, 6, 2, 0));
    tape_free(&tape);
    params_free(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sinusoids_by_hand),
        cmocka_unit_test(test_odd_widths),
        cmocka_unit_test(test_a_table_may_begin_anywhere),
        cmocka_unit_test(test_alibi_slopes_of_powers_of_two),
        cmocka_unit_test(test_alibi_slopes_of_other_numbers),
        cmocka_unit_test(test_added_along_the_tokens),
        cmocka_unit_test(test_kinds_that_add_nothing),
        cmocka_unit_test(test_alibi_holds_slopes),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_learned_table_is_normal_and_learns),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
