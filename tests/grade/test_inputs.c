/* Inputs by their description, and messages that somebody else wrote. */
#include "assert_close.h"
#include "grade/inputs.h"

#include <stdlib.h>

static int number(const Items *items, const char *name) {
    const Item *item = items_find(items, name);
    assert_non_null(item);
    return item->ints[0];
}

static void test_sizes_ranges_and_turns(void **state) {
    (void)state;
    Error error;
    for (int t = 0; t < 6; t++) {
        Rng rng = rng_seeded(5, (uint64_t)t);
        Items items;
        assert_true(inputs_draw(&items,
                                "B=2..5 H=3 D=H*2+B-1 f=0|7 e=0.5:0.6 x=n(B,D)*8 len=i(B;1..H)",
                                &rng, t, &error));
        int B = number(&items, "B"), D = number(&items, "D");
        assert_true(t == 0 ? B == 2 : B >= 2 && B <= 5);
        assert_int_equal(D, 6 + B - 1);
        assert_int_equal(number(&items, "f"), t % 2 * 7);
        const Item *x = items_find(&items, "x"), *len = items_find(&items, "len");
        assert_int_equal(item_size(x), B * D);
        assert_int_equal(x->kind, ITEM_FLOATS);
        for (int i = 0; i < B * D; i++) {
            float cents = 100.0f * x->floats[i];
            assert_close(cents, roundf(cents), 1e-2, 0);
        }
        for (int b = 0; b < B; b++) {
            assert_in_range(len->ints[b], 1, 3);
        }
        char text[80];
        inputs_say(&items, text, sizeof text);
        assert_int_equal(strncmp(text, "B = ", 4), 0);
        assert_true(strlen(text) < sizeof text);
        inputs_free(&items);
    }
}

static void test_half_of_them_are_zeros(void **state) {
    (void)state;
    Rng rng = rng_seeded(5, 1);
    Items items;
    Error error;
    int zeros = 0;
    assert_true(inputs_draw(&items, "x=s(20,10)", &rng, 0, &error));
    for (int i = 0; i < 200; i++) {
        zeros += items.item[0].floats[i] == 0.0f;
    }
    assert_in_range(zeros, 70, 130);
    inputs_free(&items);
}

static void test_a_description_that_cannot_be_read(void **state) {
    (void)state;
    static const char *const bad[] = {
        "B",      "B=",      "B=x",    "x=n(B)",         "x=n(2",
        "x=n(0)", "B=1 B=2", "x=i(2)", "x=n(1,2,3,4,5)", "x=n(2000,2000)",
        "B=1;"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Rng rng = rng_seeded(1, 1);
        Items items;
        Error error;
        assert_false(inputs_draw(&items, bad[i], &rng, 0, &error));
        inputs_free(&items);
    }
}

static void test_a_message_survives_the_way(void **state) {
    (void)state;
    Items items = {.count = 0}, back;
    const float x[] = {1, 2, 3, 4, 5, 6};
    assert_true(items_add(&items, "x", ITEM_FLOATS, 2, (const int[]){2, 3}, x));
    assert_false(items_add(&items, "a name that is too long", ITEM_FLOATS, 0, NULL, x));
    size_t size = items_bytes(&items);
    unsigned char *bytes = malloc(size);
    items_write(&items, bytes);
    assert_int_equal(items_read(&back, bytes, size), size);
    assert_int_equal(back.count, 1);
    assert_memory_equal(back.item[0].floats, x, sizeof x);
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc(cut + 1); /* nothing behind it: sanitizers see every step */
        memcpy(part, bytes, cut);
        assert_int_equal(items_read(&back, part, cut), 0);
        free(part);
    }
    free(bytes);
}

static void test_hostile_messages_are_none(void **state) {
    (void)state;
    Items items = {.count = 0}, back;
    const float x[] = {1, 2};
    assert_true(items_add(&items, "x", ITEM_FLOATS, 1, (const int[]){2}, x));
    size_t size = items_bytes(&items);
    unsigned char *bytes = malloc(size);
    for (size_t at = 0; at < size - sizeof x; at++) {
        items_write(&items, bytes);
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (unsigned char)(1 << bit);
            size_t length = items_read(&back, bytes, size);
            assert_true(length <= size);
            for (int i = 0; i < back.count && length > 0; i++) {
                assert_true(4 * item_size(&back.item[i]) <= size);
            }
        }
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_ranges_and_turns),
        cmocka_unit_test(test_half_of_them_are_zeros),
        cmocka_unit_test(test_a_description_that_cannot_be_read),
        cmocka_unit_test(test_a_message_survives_the_way),
        cmocka_unit_test(test_hostile_messages_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
