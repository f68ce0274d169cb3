#include "assert_close.h"
#include "lesson/experiments/head_class.h"

#include <math.h>
#include <string.h>

enum { L = 8 };

/* Maps that are what they are called. Each row sums to 1. */
static void fill(float *map, HeadClass kind) {
    memset(map, 0, L * L * sizeof *map);
    for (int q = 0; q < L; q++) {
        for (int k = 0; k < L; k++) {
            float *w = &map[q * L + k];
            *w = kind == HEAD_DIAGONAL   ? (float)(k == (q > 1 ? q - 2 : 0))
                 : kind == HEAD_VERTICAL ? (float)(k == 3)
                 : kind == HEAD_BLOCK    ? (q / 4 == k / 4 ? 0.25f : 0.0f)
                 : kind == HEAD_UNIFORM  ? 1.0f / L
                                         : (k < 2 ? 0.5f : 0.0f);
        }
    }
    if (kind == HEAD_MIXED) { /* half to two keys that change from row to row */
        memset(map, 0, L * L * sizeof *map);
        for (int q = 0; q < L; q++) {
            map[q * L + (3 * q) % L] = map[q * L + (5 * q + 1) % L] = 0.5f;
        }
    }
}

static const int two_segments[] = {0, 0, 0, 0, 1, 1, 1, 1};

static HeadMeasures measure(const float *map, bool segments) {
    HeadTally tally = head_tally_new();
    HeadView view = {.rows = L, .cols = L};
    if (segments) {
        view.row_segment = view.col_segment = two_segments;
    }
    head_tally_add(&tally, map, view);
    return head_tally_measures(&tally);
}

static void test_each_class(void **state) {
    (void)state;
    float map[L * L];
    for (int kind = HEAD_DIAGONAL; kind < HEAD_DEAD; kind++) {
        fill(map, (HeadClass)kind);
        HeadMeasures m = measure(map, true);
        assert_int_equal(head_class_of(&m, 1.0), kind);
        assert_int_equal(head_class_of(&m, NAN), kind);
        assert_int_equal(head_class_of(&m, 0.01), kind);
        assert_int_equal(head_class_of(&m, 0.0099), HEAD_DEAD); /* before all others */
        assert_int_equal(head_class_of(&m, -1.0), HEAD_DEAD);
    }
}

static void test_values_by_hand(void **state) {
    (void)state;
    float map[L * L];
    fill(map, HEAD_DIAGONAL);
    HeadMeasures m = measure(map, true);
    assert_close(m.diagonal, 1.0, 1e-6, 0);
    assert_int_equal(m.offset, -2);
    assert_close(m.vertical, 3.0 / L, 1e-6, 0); /* rows 0, 1 and 2 look at key 0 */
    assert_int_equal(m.column, 0);
    assert_close(m.block, 6.0 / L, 1e-6, 0); /* rows 4 and 5 look into the other segment */
    assert_close(m.entropy, 0.0, 1e-6, 0);
    fill(map, HEAD_VERTICAL);
    m = measure(map, false);
    assert_close(m.vertical, 1.0, 1e-6, 0);
    assert_int_equal(m.column, 3);
    assert_true(isnan(m.block));
    fill(map, HEAD_BLOCK);
    m = measure(map, true);
    assert_close(m.block, 1.0, 1e-6, 0);
    assert_close(m.entropy, log(4) / log(8), 1e-6, 0);
    fill(map, HEAD_UNIFORM);
    m = measure(map, true);
    assert_close(m.entropy, 1.0, 1e-6, 0);
    assert_close(m.block, 0.5, 1e-6, 0);
    assert_close(m.diagonal, 1.0 / L, 1e-6, 0);
}

/* Greater, not equal; and in this order. */
static void test_bounds(void **state) {
    (void)state;
    const HeadMeasures nothing = {0};
    HeadMeasures m = nothing;
    m.diagonal = 0.6;
    assert_int_equal(head_class_of(&m, 1), HEAD_MIXED);
    m.diagonal = 0.61;
    assert_int_equal(head_class_of(&m, 1), HEAD_DIAGONAL);
    m.vertical = m.block = m.entropy = 1.0;
    assert_int_equal(head_class_of(&m, 1), HEAD_DIAGONAL);
    m.diagonal = 0.6;
    assert_int_equal(head_class_of(&m, 1), HEAD_VERTICAL);
    m.vertical = 0.5;
    assert_int_equal(head_class_of(&m, 1), HEAD_BLOCK);
    m.block = 0.8;
    assert_int_equal(head_class_of(&m, 1), HEAD_UNIFORM);
    m.block = 0.81;
    m.entropy = 0.4;
    assert_int_equal(head_class_of(&m, 1), HEAD_MIXED);
    m.entropy = 0.41;
    assert_int_equal(head_class_of(&m, 1), HEAD_BLOCK);
    m.block = NAN; /* no segments: never a block */
    m.entropy = 0.9;
    assert_int_equal(head_class_of(&m, 1), HEAD_MIXED);
    m.entropy = 0.91;
    assert_int_equal(head_class_of(&m, 1), HEAD_UNIFORM);
}

static void test_labels(void **state) {
    (void)state;
    HeadMeasures m = {.diagonal = 0.9, .offset = -2, .column = 5};
    assert_string_equal(head_label(HEAD_DIAGONAL, &m).text, "diagonal -2");
    assert_string_equal(head_label(HEAD_DEAD, &m).text, "dead (diagonal -2)");
    assert_string_equal(head_label(HEAD_VERTICAL, &m).text, "vertical 5");
    assert_string_equal(head_label(HEAD_BLOCK, &m).text, "block");
    m.offset = 0;
    assert_string_equal(head_label(HEAD_DIAGONAL, &m).text, "diagonal +0");
    m.diagonal = 0;
    assert_string_equal(head_label(HEAD_DEAD, &m).text, "dead (mixed)");
}

/* All queries look at key 0: one of them is at offset -7, and that does not make a diagonal. */
static void test_a_corner_is_no_diagonal(void **state) {
    (void)state;
    float map[L * L] = {0};
    for (int q = 0; q < L; q++) {
        map[q * L] = 1.0f;
    }
    HeadMeasures m = measure(map, false);
    assert_close(m.diagonal, 0.25, 1e-6, 0); /* offset -4: one of four rows */
    assert_int_equal(head_class_of(&m, 1), HEAD_VERTICAL);
}

/* What lies behind the real rows and columns is not read. */
static void test_padding_is_left_out(void **state) {
    (void)state;
    float map[5 * 6];
    for (int i = 0; i < 30; i++) {
        map[i] = NAN;
    }
    for (int q = 0; q < 3; q++) {
        for (int k = 0; k < 4; k++) {
            map[q * 6 + k] = 0.25f;
        }
    }
    HeadTally tally = head_tally_new();
    head_tally_add(&tally, map, (HeadView){.rows = 3, .cols = 4, .stride = 6});
    HeadMeasures m = head_tally_measures(&tally);
    assert_close(m.entropy, 1.0, 1e-6, 0);
    assert_close(m.diagonal, 0.25, 1e-6, 0);
    assert_close(m.vertical, 0.25, 1e-6, 0);
}

/* A causal head that looks everywhere it may is uniform; its first row, with one key, says nothing.
 */
static void test_causal(void **state) {
    (void)state;
    float map[L * L] = {0};
    for (int q = 0; q < L; q++) {
        for (int k = 0; k <= q; k++) {
            map[q * L + k] = 1.0f / (float)(q + 1);
        }
    }
    HeadTally tally = head_tally_new();
    head_tally_add(&tally, map, (HeadView){.rows = L, .cols = L, .causal = true});
    HeadMeasures m = head_tally_measures(&tally);
    assert_close(m.entropy, 1.0, 1e-6, 0);
    float one = 1.0f;
    tally = head_tally_new();
    head_tally_add(&tally, &one, (HeadView){.rows = 1, .cols = 1, .causal = true});
    assert_close(head_tally_measures(&tally).entropy, 0.0, 0, 0);
    expect_check_message("no map", (tally = head_tally_new(), head_tally_measures(&tally)));
}

/* Two heads, two sequences of different length, one of them padded: each measured for itself. */
static void test_all_heads_of_a_layer(void **state) {
    (void)state;
    enum { B = 2, H = 2 };
    float weights[B * H * 3 * 3] = {0};
    const int length[] = {3, 2};
    for (int b = 0; b < B; b++) {
        for (int q = 0; q < 3; q++) {
            weights[((b * H + 0) * 3 + q) * 3 + q] = 1.0f; /* head 0: itself */
            weights[((b * H + 1) * 3 + q) * 3 + 1] = 1.0f; /* head 1: key 1 */
        }
    }
    HeadBatch batch = {
        .B = B, .H = H, .Lq = 3, .Lk = 3, .query_length = length, .key_length = length};
    HeadMeasures m[H];
    head_measure_all(weights, batch, m);
    assert_close(m[0].diagonal, 1.0, 1e-6, 0);
    assert_int_equal(m[0].offset, 0);
    assert_close(m[1].vertical, 1.0, 1e-6, 0);
    assert_int_equal(m[1].column, 1);
    /* cosine: sequence 0: 1 of 3 rows agree; sequence 1: 1 of 2 */
    assert_close(heads_alike(weights, batch), (1.0 / 3.0 + 0.5) / 2.0, 1e-6, 0);
    batch.H = 1;
    batch.B = 1;
    assert_true(isnan(heads_alike(weights, batch)));
}

static void test_alike_at_its_ends(void **state) {
    (void)state;
    float weights[3 * L * L];
    HeadBatch batch = {.B = 1, .H = 3, .Lq = L, .Lk = L};
    for (int h = 0; h < 3; h++) {
        fill(weights + h * L * L, HEAD_MIXED);
    }
    assert_close(heads_alike(weights, batch), 1.0, 1e-6, 0);
    memset(weights, 0, sizeof weights);
    for (int h = 0; h < 3; h++) {
        for (int q = 0; q < L; q++) {
            weights[(h * L + q) * L + (q + h) % L] = 1.0f;
        }
    }
    assert_close(heads_alike(weights, batch), 0.0, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_class),
        cmocka_unit_test(test_values_by_hand),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_a_corner_is_no_diagonal),
        cmocka_unit_test(test_padding_is_left_out),
        cmocka_unit_test(test_causal),
        cmocka_unit_test(test_all_heads_of_a_layer),
        cmocka_unit_test(test_alike_at_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
