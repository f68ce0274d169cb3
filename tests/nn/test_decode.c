#include "assert_close.h"

#include "core/tensor.h"
#include "nn/decode.h"

enum { V = 4, START = 1, END = 2, MAX_B = 3, MAX_STEPS = 8 };

/* A decoder that follows a script: what sequence b says at step t. It also writes down what it was
 * fed and how often it was asked. */
typedef struct Script {
    const int *say[MAX_B];
    int calls;
    int fed[MAX_STEPS][MAX_B];
    float scores[MAX_B * V];
} Script;

static const float *script_step(void *decoder, const int *previous, int B) {
    Script *script = decoder;
    for (int b = 0; b < B; b++) {
        script->fed[script->calls][b] = previous[b];
        for (int v = 0; v < V; v++) {
            script->scores[b * V + v] =
                v == script->say[b][script->calls] ? 1.5f : -1.0f - (float)v;
        }
    }
    script->calls++;
    return script->scores;
}

static void test_feeds_back_what_it_said(void **state) {
    (void)state;
    Script script = {.say = {(const int[]){3, 0, 3, END}}};
    int tokens[4], length;
    assert_int_equal(decode_greedy(script_step, &script, 1, V, START, END, 4, tokens, &length), 4);
    assert_int_equal(length, 3); /* before the end token */
    static const int expected[] = {3, 0, 3, END};
    assert_memory_equal(tokens, expected, sizeof expected);
    static const int fed[] = {START, 3, 0, 3};
    for (int t = 0; t < 4; t++) {
        assert_int_equal(script.fed[t][0], fed[t]);
    }
}

static void test_stops_when_every_sequence_has_ended(void **state) {
    (void)state;
    Script script = {.say = {(const int[]){3, END, 0, 3, 3, 3, 3, 3}, /* speaks on after its end */
                             (const int[]){END, 3, 3, END, 3, 3, 3, 3}, /* at once */
                             (const int[]){0, 3, 0, END, 3, 3, 3, 3}}};
    int tokens[MAX_STEPS * 3], length[3];
    int steps = decode_greedy(script_step, &script, 3, V, START, END, MAX_STEPS, tokens, length);
    assert_int_equal(steps, 4);
    assert_int_equal(script.calls, 4);
    assert_int_equal(length[0], 1);
    assert_int_equal(length[1], 0);
    assert_int_equal(length[2], 3);
    static const int expected[] = {3, END, 0, END, END, 3, END, END, 0, END, END, END};
    assert_memory_equal(tokens, expected, sizeof expected); /* tokens[t * B + b] */
    assert_int_equal(script.fed[2][0], END);                /* what has ended stays ended */
    assert_int_equal(script.fed[3][0], END);
    assert_int_equal(script.fed[3][1], END);
}

static void test_ends_after_max_steps_at_the_latest(void **state) {
    (void)state;
    Script script = {.say = {(const int[]){3, 3, 3, 3}, (const int[]){0, END, 0, 0}}};
    int tokens[3 * 2], length[2];
    assert_int_equal(decode_greedy(script_step, &script, 2, V, START, END, 3, tokens, length), 3);
    assert_int_equal(script.calls, 3);
    assert_int_equal(length[0], 3);
    assert_int_equal(length[1], 1);
    static const int expected[] = {3, 0, 3, END, 3, END};
    assert_memory_equal(tokens, expected, sizeof expected);
}

static void test_an_end_at_the_last_step_counts(void **state) {
    (void)state;
    Script script = {.say = {(const int[]){3, 0, END}}};
    int tokens[3], length;
    assert_int_equal(decode_greedy(script_step, &script, 1, V, START, END, 3, tokens, &length), 3);
    assert_int_equal(length, 2);
    Script short_one = {.say = {(const int[]){END}}};
    assert_int_equal(decode_greedy(script_step, &short_one, 1, V, START, END, 1, tokens, &length),
                     1);
    assert_int_equal(length, 0);
}

static const float *equal_scores(void *decoder, const int *previous, int B) {
    (void)previous;
    (void)B;
    return decoder;
}

static void test_of_equal_scores_the_first_is_taken(void **state) {
    (void)state;
    float scores[] = {0, 1, 0, 1};
    int tokens[2], length;
    decode_greedy(equal_scores, scores, 1, V, START, END, 2, tokens, &length);
    assert_int_equal(tokens[0], 1);
    assert_int_equal(tokens[1], 1);
}

static void test_wrong_sizes_stop(void **state) {
    (void)state;
    int tokens[2], length;
    float scores[V] = {0};
    expect_check_message("decode_greedy: B 0, V 4 and max_steps 2",
                         decode_greedy(equal_scores, scores, 0, V, 1, 2, 2, tokens, &length));
    expect_check_message("decode_greedy: B 1, V 0 and max_steps 2",
                         decode_greedy(equal_scores, scores, 1, 0, 1, 2, 2, tokens, &length));
    expect_check_message("decode_greedy: B 1, V 4 and max_steps 0",
                         decode_greedy(equal_scores, scores, 1, V, 1, 2, 0, tokens, &length));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feeds_back_what_it_said),
        cmocka_unit_test(test_stops_when_every_sequence_has_ended),
        cmocka_unit_test(test_ends_after_max_steps_at_the_latest),
        cmocka_unit_test(test_an_end_at_the_last_step_counts),
        cmocka_unit_test(test_of_equal_scores_the_first_is_taken),
        cmocka_unit_test(test_wrong_sizes_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
