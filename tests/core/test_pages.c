#include "assert_close.h"

#include "core/pages.h"

#include <stdint.h>
#include <stdlib.h>

static void test_memory_is_aligned_and_usable_to_its_end(void **state) {
    (void)state;
    const size_t sizes[] = {0,
                            1,
                            63,
                            64,
                            65,
                            4096,
                            ((size_t)1 << 21) - 1,
                            (size_t)1 << 21,
                            ((size_t)1 << 21) + 1,
                            (size_t)5 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *memory = pages_new(sizes[i]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        for (size_t at = 0; at < sizes[i]; at += 61) {
            memory[at] = (unsigned char)at;
        }
        if (sizes[i] > 0) {
            memory[sizes[i] - 1] = 1;
        }
        free(memory);
    }
}

static void test_an_impossible_size_is_refused(void **state) {
    (void)state;
    assert_null(pages_new(SIZE_MAX));
    assert_null(pages_new(SIZE_MAX / 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_aligned_and_usable_to_its_end),
        cmocka_unit_test(test_an_impossible_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
