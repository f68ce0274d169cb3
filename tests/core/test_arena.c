#include "assert_close.h"

#include "core/arena.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

static bool is_aligned(const void *memory) {
    return (uintptr_t)memory % ARENA_ALIGNMENT == 0;
}

static void test_every_piece_is_aligned_and_apart(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 3, 100000, 3000000, 1, 7};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    unsigned char *piece[COUNT];
    Arena arena = arena_new();
    for (size_t i = 0; i < COUNT; i++) {
        piece[i] = arena_alloc(&arena, sizes[i]);
        assert_true(is_aligned(piece[i]));
        memset(piece[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < COUNT;
         i++) { /* nobody wrote into a neighbour, not after growth either */
        for (size_t j = 0; j < sizes[i]; j++) {
            assert_int_equal(piece[i][j], i + 1);
        }
        for (size_t j = 0; j < i; j++) {
            assert_ptr_not_equal(piece[i], piece[j]);
        }
    }
    arena_free(&arena);
}

static void test_zeroed_is_zeroed_in_used_memory_too(void **state) {
    (void)state;
    Arena arena = arena_new();
    for (int round = 0; round < 3; round++) {
        unsigned char *memory = arena_alloc_zeroed(&arena, 5000);
        for (int i = 0; i < 5000; i++) {
            assert_int_equal(memory[i], 0);
        }
        memset(memory, 0xab, 5000);
        arena_reset(&arena);
    }
    arena_free(&arena);
}

static void test_used_and_peak_count_padded_bytes(void **state) {
    (void)state;
    Arena arena = arena_new();
    assert_int_equal(arena.used, 0);
    arena_alloc(&arena, 1);
    arena_alloc(&arena, 65);
    assert_int_equal(arena.used, 64 + 128);
    assert_int_equal(arena.peak, 192);
    arena_reset(&arena);
    assert_int_equal(arena.used, 0);
    arena_alloc(&arena, 10);
    assert_int_equal(arena.used, 64);
    assert_int_equal(arena.peak, 192); /* the most there ever was */
    arena_free(&arena);
    assert_int_equal(arena.used, 0);
    assert_int_equal(arena.peak, 0);
}

/* One step's worth of pieces, far more than one block; the addresses go to `place`. */
enum { PIECES = 400, PIECE = 50000 };

static void take_pieces(Arena *arena, void **place) {
    for (int i = 0; i < PIECES; i++) {
        place[i] = arena_alloc(arena, PIECE);
        memset(place[i], i, PIECE);
    }
}

static void test_reset_keeps_the_memory_and_hands_it_out_again(void **state) {
    (void)state;
    void *first[PIECES], *second[PIECES], *third[PIECES];
    Arena arena = arena_new();
    take_pieces(&arena, first);
    ArenaBlock *last = arena.block;
    assert_ptr_not_equal(last, arena.first); /* the pieces took several blocks */
    size_t peak = arena.peak;
    assert_true(peak >= (size_t)PIECES * PIECE);
    arena_reset(&arena);
    take_pieces(&arena, second);
    assert_memory_equal(first, second, sizeof first); /* the same work, the same places ... */
    assert_ptr_equal(arena.block, last);
    arena_reset(&arena);
    take_pieces(&arena, third);
    assert_memory_equal(second, third, sizeof second); /* ... in every step that follows */
    assert_ptr_equal(arena.block, last);
    assert_int_equal(arena.peak, peak);
    arena_free(&arena);
    assert_null(arena.block);
}

/* A block too small for a request is passed over; what comes later does not go back to it. */
static void test_a_large_piece_passes_over_small_blocks(void **state) {
    (void)state;
    void *place[PIECES];
    Arena arena = arena_new();
    take_pieces(&arena, place);
    ArenaBlock *last = arena.block;
    arena_reset(&arena);
    unsigned char *large = arena_alloc(&arena, (size_t)1 << 26);
    large[((size_t)1 << 26) - 1] = 1;
    assert_ptr_not_equal(arena.block, last);
    last = arena.block;
    arena_reset(&arena);
    assert_ptr_equal(arena_alloc(&arena, (size_t)1 << 26), large);
    assert_ptr_equal(arena.block, last); /* no further block was needed */
    arena_free(&arena);
}

static void test_reset_and_free_of_an_empty_arena_do_nothing(void **state) {
    (void)state;
    Arena arena = arena_new();
    arena_reset(&arena);
    arena_free(&arena);
    arena_free(&arena);
    assert_non_null(arena_alloc(&arena, 8)); /* usable after being freed */
    arena_free(&arena);
}

static void test_an_impossible_size_stops(void **state) {
    (void)state;
    Arena arena = arena_new();
    expect_check_message("arena: ", arena_alloc(&arena, SIZE_MAX / 2));
    assert_non_null(strstr(check_capture.message, "bytes cannot be allocated"));
    arena_free(&arena);
}

#ifdef WITH_ASAN
int __asan_address_is_poisoned(void const volatile *address);

static void test_memory_taken_back_is_poisoned(void **state) {
    (void)state;
    Arena arena = arena_new();
    unsigned char *memory = arena_alloc(&arena, 100);
    assert_false(__asan_address_is_poisoned(memory));
    assert_false(__asan_address_is_poisoned(memory + 99));
    assert_true(__asan_address_is_poisoned(memory + 104)); /* the padding behind the piece */
    assert_true(__asan_address_is_poisoned(memory + 128)); /* what nobody asked for yet */
    arena_reset(&arena);
    assert_true(__asan_address_is_poisoned(memory));
    assert_ptr_equal(arena_alloc(&arena, 100), memory);
    assert_false(__asan_address_is_poisoned(memory));
    arena_free(&arena);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_is_aligned_and_apart),
        cmocka_unit_test(test_zeroed_is_zeroed_in_used_memory_too),
        cmocka_unit_test(test_used_and_peak_count_padded_bytes),
        cmocka_unit_test(test_reset_keeps_the_memory_and_hands_it_out_again),
        cmocka_unit_test(test_a_large_piece_passes_over_small_blocks),
        cmocka_unit_test(test_reset_and_free_of_an_empty_arena_do_nothing),
        cmocka_unit_test(test_an_impossible_size_stops),
#ifdef WITH_ASAN
        cmocka_unit_test(test_memory_taken_back_is_poisoned),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
