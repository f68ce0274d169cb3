/* Beam search on toys small enough to be followed with pencil and paper. */
#include "support/tensors.h"

#include "nn/beam.h"

enum { START = 0, END = 1, A, B2, V = 4, ROWS = 16, STEPS = 8 };

/* Probabilities (V) of what follows the last token, by step: after[t][previous]. */
typedef struct Table {
    float after[STEPS][V][V];
    float scores[ROWS * V];
    int fed[STEPS][ROWS]; /* what it was given at each step */
    int calls;
} Table;

static const float *table_step(void *decoder, const int *parent, const int *previous, int rows) {
    (void)parent;
    Table *table = decoder;
    for (int r = 0; r < rows; r++) {
        table->fed[table->calls][r] = previous[r];
        for (int v = 0; v < V; v++) {
            float p = table->after[table->calls][previous[r]][v];
            table->scores[r * V + v] = logf(p); /* log 0 is -inf: never said */
        }
    }
    table->calls++;
    return table->scores;
}

static BeamResult search_table(Table *table, int beams, float normalise, int max_steps) {
    table->calls = 0;
    return beam_search(table_step, table, 1, V,
                       (BeamOptions){beams, normalise, START, END, max_steps});
}

/* faults 22: A is likelier than B at first (.6, .4), but what follows A is open: A <end> .3,
 * B <end> .36. */
static void test_greedy_loses_where_two_beams_win(void **state) {
    (void)state;
    Table table = {
        .after = {
            {[START] = {[A] = 0.6f, [B2] = 0.4f}},
            {[A] = {[END] = 0.5f, [A] = 0.25f, [B2] = 0.25f}, [B2] = {[END] = 0.9f, [A] = 0.1f}},
            {[A] = {[END] = 1}, [B2] = {[END] = 1}}}};
    BeamResult greedy = search_table(&table, 1, 0.0f, 3);
    assert_int_equal(greedy.length[0], 1);
    assert_int_equal(greedy.said[0], 2);
    assert_int_equal(greedy.tokens[0], A);
    assert_close(greedy.log_probability[0], log(0.3), 1e-6, 0);
    BeamResult two = search_table(&table, 2, 0.0f, 3);
    assert_int_equal(two.length[0], 1);
    assert_int_equal(two.tokens[0], B2);
    assert_close(two.log_probability[0], log(0.36), 1e-6, 0);
    assert_close(two.score[0], log(0.36), 1e-6, 0);
    assert_int_equal(two.row[0], 0); /* both were read from row 0 ... */
    assert_int_equal(two.row[1], 1); /* ... and B's end from row 1 */
    BeamResult mean = search_table(&table, 2, 1.0f, 3);
    assert_close(mean.score[0], log(0.36) / 2, 1e-6, 0);
    assert_close(mean.log_probability[0], log(0.36), 1e-6, 0);
    beam_free(&greedy);
    beam_free(&two);
    beam_free(&mean);
}

/* <end> at once has .3, but two other beams are ahead of it for two steps before they fall apart.
 */
static void test_what_has_ended_is_kept(void **state) {
    (void)state;
    Table table = {.after = {{[START] = {[A] = 0.5f, [END] = 0.3f, [B2] = 0.2f}},
                             {[A] = {[A] = 0.7f, [B2] = 0.3f}},
                             {[A] = {[END] = 0.4f, [A] = 0.3f, [B2] = 0.3f},
                              [B2] = {[END] = 0.4f, [A] = 0.3f, [B2] = 0.3f}},
                             {[A] = {[END] = 1}, [B2] = {[END] = 1}}}};
    BeamResult result = search_table(&table, 2, 0.0f, 4);
    assert_int_equal(result.length[0], 0);
    assert_int_equal(result.said[0], 1);
    assert_close(result.log_probability[0], log(0.3), 1e-6, 0);
    assert_int_equal(table.calls, 3); /* .5 .7 = .35 may win yet; .35 .4 = .14 is less */
    BeamResult mean = search_table(&table, 2, 1.0f, 4); /* A A A, .105, has -.56 per token */
    assert_int_equal(mean.length[0], 3);
    assert_close(mean.score[0], log(0.105) / 4, 1e-6, 0);
    beam_free(&result);
    beam_free(&mean);
}

/* <end> .7 or A .3, then three more tokens that are certain. By log probability <end> wins at once.
 * By the mean it is ahead after one step (-.36 against -1.20), and yet the long one wins: -1.20 / 4
 * = -.30. Whether it can is known after one step: with .75 and .25 it is -.29 against -.35. */
static void test_stops_when_it_may_and_not_before(void **state) {
    (void)state;
    Table table = {.after = {{[START] = {[END] = 0.7f, [A] = 0.3f}},
                             {[A] = {[B2] = 1}},
                             {[B2] = {[A] = 1}},
                             {[A] = {[END] = 1}}}};
    BeamResult plain = search_table(&table, 2, 0.0f, 4);
    assert_int_equal(plain.length[0], 0);
    assert_int_equal(table.calls, 1);
    BeamResult mean = search_table(&table, 2, 1.0f, 4);
    assert_int_equal(mean.length[0], 3);
    assert_close(mean.score[0], log(0.3) / 4, 1e-6, 0);
    assert_int_equal(table.calls, 4);
    table.after[0][START][END] = 0.75f;
    table.after[0][START][A] = 0.25f;
    BeamResult hopeless = search_table(&table, 2, 1.0f, 4);
    assert_int_equal(hopeless.length[0], 0);
    assert_int_equal(table.calls, 1);
    beam_free(&plain);
    beam_free(&mean);
    beam_free(&hopeless);
}

/* Equal in everything: the lower token, from the lower beam; and the shorter one of two that have
 * ended. */
static void test_ties(void **state) {
    (void)state;
    Table table = {.after = {{[START] = {[A] = 0.5f, [B2] = 0.5f}},
                             {[A] = {[A] = 0.5f, [B2] = 0.5f}, [B2] = {[A] = 0.5f, [B2] = 0.5f}}}};
    BeamResult result = search_table(&table, 2, 0.0f, 2);
    assert_int_equal(result.length[0], 2);
    assert_int_equal(result.tokens[0], A);
    assert_int_equal(result.tokens[1], A);
    Table certain = {.after = {{[START] = {[END] = 0.5f, [A] = 0.5f}}, {[A] = {[END] = 1}}}};
    BeamResult shorter = search_table(&certain, 2, 0.0f, 2);
    assert_int_equal(shorter.length[0], 0);
    beam_free(&result);
    beam_free(&shorter);
}

/* Two beams for three that are equal: whoever comes third is gone, even if it would have won. */
static void test_ties_for_the_last_place(void **state) {
    (void)state;
    Table tokens = {.after = {{[START] = {[START] = 0.3f, [A] = 0.3f, [B2] = 0.3f}},
                              {[START] = {[END] = 0.1f, [START] = 0.9f},
                               [A] = {[END] = 0.2f, [START] = 0.8f},
                               [B2] = {[END] = 1}}}};
    BeamResult result = search_table(&tokens, 2, 0.0f, 2);
    assert_int_equal(tokens.fed[1][0], START);
    assert_int_equal(tokens.fed[1][1], A);
    beam_free(&result);
    Table beams = {
        .after = {{[START] = {[START] = 0.5f, [A] = 0.5f}},
                  {[START] = {[START] = 0.5f, [A] = 0.5f}, [A] = {[START] = 0.5f, [B2] = 0.5f}},
                  {[START] = {[A] = 1}, [A] = {[B2] = 1}, [B2] = {[END] = 1}}}};
    result = search_table(&beams, 2, 0.0f, 3);
    assert_int_equal(beams.fed[2][0], START);
    assert_int_equal(beams.fed[2][1], A);
    assert_int_equal(result.tokens[0], START); /* both of them go on from the lower beam */
    beam_free(&result);
}

/* When fewer than K beams live, the rows behind them are fed the end token. */
static void test_rows_left_over(void **state) {
    (void)state;
    Table table = {.after = {{[START] = {[A] = 0.4f, [B2] = 0.35f, [END] = 0.25f}},
                             {[A] = {[B2] = 1}, [B2] = {[END] = 1}},
                             {[B2] = {[END] = 1}}}};
    BeamResult result = search_table(&table, 4, 0.0f, 3);
    assert_int_equal(result.length[0], 2); /* A B2, .4 */
    static const int fed[3][4] = {
        {START, START, START, START}, {A, B2, END, END}, {B2, END, END, END}};
    for (int t = 0; t < 3; t++) {
        assert_memory_equal(table.fed[t], fed[t], sizeof fed[t]);
    }
    beam_free(&result);
}

/* ---- logits that are no numbers ---- */

/* The same scores for every row and step, or nothing but `last` from the third step on. */
typedef struct Broken {
    float first[V], last[V];
    float scores[ROWS * V];
    int calls, second; /* calls so far, and what row 1 was given last */
} Broken;

static const float *broken_step(void *decoder, const int *parent, const int *previous, int rows) {
    (void)parent;
    Broken *broken = decoder;
    for (int r = 0; r < rows; r++) {
        memcpy(broken->scores + r * V, broken->calls < 2 ? broken->first : broken->last,
               sizeof broken->first);
    }
    broken->calls++;
    broken->second = previous[1];
    return broken->scores;
}

static BeamResult search_broken(Broken *broken, int beams) {
    broken->calls = 0;
    return beam_search(broken_step, broken, 2, V, (BeamOptions){beams, 1.0f, START, END, STEPS});
}

static void test_what_is_no_number_is_never_said(void **state) {
    (void)state;
    Broken nan = {.first = {NAN, -INFINITY, NAN, 3}, .last = {NAN, 0, -INFINITY, NAN}};
    Broken infinite = {.first = {0, 0, INFINITY, 5}, .last = {0, INFINITY, 0, 5}};
    for (int K = 1; K <= 5; K++) {
        BeamResult result = search_broken(&nan, K); /* B B <end>, all certain */
        assert_int_equal(result.length[1], 2);
        assert_int_equal(result.tokens[STEPS], B2);
        assert_close(result.log_probability[1], 0.0, 0, 0);
        beam_free(&result);
        result = search_broken(&infinite, K); /* beside +inf nothing else can be: A A <end> */
        assert_int_equal(result.length[1], 2);
        assert_int_equal(result.tokens[STEPS], A);
        assert_close(result.log_probability[1], 0.0, 0, 0);
        assert_int_equal(infinite.second, K > 1 ? END : A); /* no second beam lives */
        beam_free(&result);
    }
}

/* With nothing left to say a sequence ends with what it has, at once if need be. */
static void test_nothing_can_be_said(void **state) {
    (void)state;
    const float nothing[] = {NAN, -INFINITY};
    for (int K = 1; K <= 5; K++) {
        Broken later = {.first = {0, -INFINITY, 1, 0}};
        Broken at_once = {.calls = 0};
        for (int v = 0; v < V; v++) {
            later.last[v] = at_once.first[v] = nothing[(K + v) % 2];
        }
        BeamResult result = search_broken(&later, K);
        assert_int_equal(later.calls, 3);
        assert_int_equal(result.length[0], 2);
        assert_int_equal(result.said[0], 2);
        assert_int_equal(result.tokens[1], A);
        assert_close(result.log_probability[0], 2 * log(exp(1) / (exp(1) + 2)), 1e-9, 0);
        beam_free(&result);
        result = search_broken(&at_once, K);
        assert_int_equal(at_once.calls, 1);
        assert_int_equal(result.length[1], 0);
        assert_int_equal(result.said[1], 0);
        assert_close(result.score[1], 0.0, 0, 0);
        beam_free(&result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy_loses_where_two_beams_win),
        cmocka_unit_test(test_what_has_ended_is_kept),
        cmocka_unit_test(test_stops_when_it_may_and_not_before),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_ties_for_the_last_place),
        cmocka_unit_test(test_rows_left_over),
        cmocka_unit_test(test_what_is_no_number_is_never_said),
        cmocka_unit_test(test_nothing_can_be_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
