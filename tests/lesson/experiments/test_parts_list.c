#include "support/stage.h"
#include "support/tensors.h"

#include "lesson/experiments/parts_list.h"

static TransformerConfig tiny(void) {
    return (TransformerConfig){.layer = {.d_model = 2, .heads = 1, .d_ff = 3},
                               .encoder_layers = 2,
                               .decoder_layers = 1,
                               .position = POSITION_SINUSOIDAL};
}

/* d = 2, ff = 3, with a pencil: attention 4 (4 + 2) = 24, feed-forward 12 + 3 + 2 = 17, a norm 4.
 */
static void test_expected_by_hand(void **state) {
    (void)state;
    size_t encoder = 24 + 17 + 2 * 4, decoder = 2 * 24 + 17 + 3 * 4,
           words = 5 * 2 + 7 * 2 + 7 * 2 + 7;
    assert_int_equal(parts_expected(tiny(), 5, 7), words + 2 * encoder + decoder + 2 * 4);
    TransformerConfig post = tiny();
    post.layer.post_ln = true; /* no norms at the ends */
    assert_int_equal(parts_expected(post, 5, 7), words + 2 * encoder + decoder);
}

static void test_counted_is_expected(void **state) {
    (void)state;
    for (int post = 0; post < 2; post++) {
        for (int separate = 0; separate < 2; separate++) {
            TransformerConfig config = tiny();
            Params params = params_new();
            config.layer.post_ln = post == 1;
            config.layer.separate = separate == 1;
            transformer_new(&params, "", 5, 7, config);
            assert_int_equal(parts_expected(config, 5, 7), params_count_numbers(&params));
            assert_int_equal(parts_count(&params, "", ""), params_count_numbers(&params));
            assert_int_equal(parts_count(&params, "encoder0.", ".self."), 24);
            assert_int_equal(parts_count(&params, "decoder0.", ".cross."), 24);
            assert_int_equal(parts_count(&params, "out.", ""), 21);
            assert_null(params.data); /* declared, never allocated */
            params_free(&params);
        }
    }
}

static void test_share_of_words(void **state) {
    (void)state;
    Params params = params_new();
    TransformerConfig config = tiny();
    transformer_new(&params, "", 5, 7, config);
    PartsModel model = {"tiny", &params, config};
    double all = (double)params_count_numbers(&params), words = 10 + 14 + 21;
    assert_close(parts_word_share(&model, false), words / all, 1e-12, 0);
    assert_close(parts_word_share(&model, true), 14 / (all - words + 14), 1e-12, 0);
    params_free(&params);
}

static void play(Run *run, void *context) {
    (void)context;
    parts_list_with_base(run, tiny(), 5, 7, 32000);
}

static void test_with_base(void **state) {
    (void)state;
    Stage stage = stage_play(play, NULL, "--no-plots");
    assert_int_equal(stage.status, 0);
    assert_string_equal(lesson_claim(&stage, "parts"), "holds");
    lesson_run_free(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected_by_hand),
        cmocka_unit_test(test_counted_is_expected),
        cmocka_unit_test(test_share_of_words),
        cmocka_unit_test(test_with_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
