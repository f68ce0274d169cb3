#include "assert_close.h"

#include "core/mask.h"

/* The mask as text, "110 011" for two queries over three keys; batches separated by " / ". */
static void assert_mask(const Mask *mask, int batch, int queries, const char *expected) {
    char text[256], *at = text;
    for (int b = 0; b < batch; b++) {
        for (int q = 0; q < queries; q++) {
            const bool *row = mask_row(mask, b, q);
            for (int k = 0; k < mask->keys; k++) {
                *at++ = row[k] ? '1' : '0';
            }
            *at++ = ' ';
        }
        *at++ = '/';
        *at++ = ' ';
    }
    at[-3] = '\0'; /* without the last " / " */
    assert_string_equal(text, expected);
}

static void test_padding_lets_see_the_real_keys(void **state) {
    (void)state;
    Arena arena = arena_new();
    Mask mask = mask_padding(&arena, (const int[]){2, 0, 4, 1}, 4, 4);
    assert_int_equal(mask.batch, 4);
    assert_int_equal(mask.queries, 1);
    assert_int_equal(mask.keys, 4);
    assert_mask(&mask, 4, 1, "1100 / 0000 / 1111 / 1000");
    arena_free(&arena);
}

static void test_fault_05_padding_along_the_keys(void **state) {
    (void)state;
    Arena arena = arena_new();
    Mask mask = mask_padding(&arena, (const int[]){2}, 1, 4); /* ids 5 7 0 0 */
    assert_mask(&mask, 1, 4, "1100 1100 1100 1100");
    arena_free(&arena);
}

static void test_causal_is_aligned_at_the_end(void **state) {
    (void)state;
    Arena arena = arena_new();
    Mask square = mask_causal(&arena, 3, 3);
    assert_mask(&square, 1, 3, "100 110 111");
    Mask wide = mask_causal(&arena, 2, 5); /* two new queries behind three old keys */
    assert_mask(&wide, 1, 2, "11110 11111");
    Mask tall = mask_causal(&arena, 4, 2); /* the first two come before any key */
    assert_mask(&tall, 1, 4, "00 00 10 11");
    Mask one = mask_causal(&arena, 1, 1);
    assert_mask(&one, 1, 1, "1");
    assert_mask(&square, 2, 3, "100 110 111 / 100 110 111"); /* the same for every sequence */
    arena_free(&arena);
}

static void test_fault_07_true_means_may_look(void **state) {
    (void)state;
    Arena arena = arena_new();
    Mask causal = mask_causal(&arena, 2, 2);  /* not its own mirror image, nor its own opposite */
    assert_true(mask_row(&causal, 0, 1)[0]);  /* the second may look back */
    assert_false(mask_row(&causal, 0, 0)[1]); /* the first may not look ahead */
    Mask padding = mask_padding(&arena, (const int[]){1}, 1, 3);
    assert_true(mask_row(&padding, 0, 0)[0]);
    assert_false(mask_row(&padding, 0, 0)[1]);
    assert_false(mask_row(&padding, 0, 0)[2]);
    arena_free(&arena);
}

static void test_both_allows_what_both_allow(void **state) {
    (void)state;
    Arena arena = arena_new();
    Mask padding = mask_padding(&arena, (const int[]){3, 1}, 2, 3);
    Mask causal = mask_causal(&arena, 3, 3);
    Mask both = mask_both(&arena, padding, causal), turned = mask_both(&arena, causal, padding);
    assert_int_equal(both.batch, 2);
    assert_int_equal(both.queries, 3);
    assert_mask(&both, 2, 3, "100 110 111 / 100 100 100");
    assert_mask(&turned, 2, 3, "100 110 111 / 100 100 100");
    Mask pads = mask_both(&arena, padding, padding);
    assert_int_equal(pads.queries, 1);
    assert_mask(&pads, 2, 1, "111 / 100");
    arena_free(&arena);
}

static void test_what_does_not_fit_stops(void **state) {
    (void)state;
    Arena arena = arena_new();
    Mask two = mask_causal(&arena, 2, 2), three = mask_causal(&arena, 3, 2);
    Mask wide = mask_causal(&arena, 2, 4);
    Mask of_two = mask_padding(&arena, (const int[]){1, 1}, 2, 2);
    Mask of_three = mask_padding(&arena, (const int[]){1, 1, 1}, 3, 2);
    expect_check_message("mask_both: 2 keys and 4 keys", mask_both(&arena, two, wide));
    expect_check_message("mask_both: queries 2 and 3 do not go together",
                         mask_both(&arena, two, three));
    expect_check_message("mask_both: batches 2 and 3 do not go together",
                         mask_both(&arena, of_two, of_three));
    expect_check_message("mask_padding: length 5 of sequence 1 is not in 0..4",
                         mask_padding(&arena, (const int[]){4, 5}, 2, 4));
    expect_check_message("mask_padding: length -1 of sequence 0 is not in 0..4",
                         mask_padding(&arena, (const int[]){-1, 5}, 2, 4));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padding_lets_see_the_real_keys),
        cmocka_unit_test(test_fault_05_padding_along_the_keys),
        cmocka_unit_test(test_causal_is_aligned_at_the_end),
        cmocka_unit_test(test_fault_07_true_means_may_look),
        cmocka_unit_test(test_both_allows_what_both_allow),
        cmocka_unit_test(test_what_does_not_fit_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
