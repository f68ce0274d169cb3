#include "assert_close.h"

#include <stdlib.h>

#include "data/chars.h"
#include "io/utf8.h"
#include "support/scratch.h"

static Error error;

static CharText make(const char *utf8, double held_out, int L) {
    CharText text;
    if (!chars_make(&text, "text", utf8, held_out, L, &error)) {
        print_error("%s\n", error.text);
        fail();
    }
    return text;
}

static void assert_ids(const int *ids, const int *expected, int count) {
    for (int i = 0; i < count; i++) {
        assert_int_equal(ids[i], expected[i]);
    }
}

static void assert_refused(const char *utf8, double held_out, int L, const char *part) {
    CharText text;
    assert_false(chars_make(&text, "story.txt", utf8, held_out, L, &error));
    assert_int_equal(strncmp(error.text, "story.txt: ", 11), 0);
    if (strstr(error.text, part) == NULL) {
        print_error("\"%s\" does not say \"%s\"\n", error.text, part);
        fail();
    }
    assert_null(text.id);
    chars_free(&text); /* nothing to free, and no harm */
}

/* ---- making ---- */

/* b stands there four times, a three times, then c, \n and d once each, in this order. */
static void test_ids_by_frequency_then_appearance(void **state) {
    (void)state;
    CharText text = make("abbac\nabdb", .2, 1);
    assert_int_equal(text.V, 5);
    assert_int_equal(text.length, 10);
    assert_int_equal(text.train, 8);
    assert_ids(text.id, (int[]){1, 0, 0, 1, 2, 3, 1, 0, 4, 0}, 10);
    assert_int_equal(text.unseen, 1); /* the d */
    assert_int_equal(chars_count(&text, CHARS_TRAIN), 8);
    assert_int_equal(chars_count(&text, CHARS_HELD_OUT), 2);
    chars_free(&text);
    assert_null(text.id);
}

/* Fault 31: characters of one to four bytes are one character each, and come back whole. */
static void test_characters_of_several_bytes(void **state) {
    (void)state;
    const char *utf8 = "é€é🙂é€";
    CharText text = make(utf8, .4, 1);
    assert_int_equal(text.length, 6);
    assert_int_equal(text.V, 3);
    assert_int_equal(text.train, 4);
    assert_ids(text.id, (int[]){0, 1, 0, 2, 0, 1}, 6);
    char *again = chars_decode(&text, text.id, text.length);
    assert_string_equal(again, utf8);
    free(again);
    chars_free(&text);
}

static void test_one_character_only(void **state) {
    (void)state;
    CharText text = make("aaaaaaaaaa", .5, 4);
    assert_int_equal(text.V, 1);
    assert_close(chars_unigram_nats(&text, CHARS_TRAIN), 0, 0, 0);
    int input[8], target[8];
    Rng rng = rng_seeded(1, 1);
    chars_window(&text, CHARS_TRAIN, &rng, 2, 4, input, target);
    assert_ids(input, (int[8]){0}, 8);
    assert_ids(target, (int[8]){0}, 8);
    chars_free(&text);
}

/* The share is rounded down, and both parts must hold a window and the character behind it. */
static void test_too_short(void **state) {
    (void)state;
    assert_refused("", .1, 1, "too short: 0 characters");
    assert_refused("abcdefghij", .1, 1, "1 of them held out, where a window of 1 needs 2");
    assert_refused("abcdefghij", .29, 2, "2 of them held out, where a window of 2 needs 3");
    assert_refused("abcdefghij", .8, 2, "8 of them held out");
    CharText text = make("abcdefghij", .3, 2);
    assert_int_equal(text.train, 7);
    chars_free(&text);
    text = make("abcdefghij", .7, 2);
    assert_int_equal(text.train, 3);
    chars_free(&text);
}

/* Fault 31: not UTF-8. */
static void test_not_utf8(void **state) {
    (void)state;
    assert_refused("abc\xE9"
                   "def",
                   .5, 1, "byte 4 is not UTF-8");
    assert_refused("abc\xE2\x82", .5, 1, "byte 4 is not UTF-8"); /* cut off inside a character */
}

static void test_too_many_kinds(void **state) {
    (void)state;
    enum { MOST = CHARS_KINDS_LIMIT };
    char *utf8 = check_alloc((MOST + 1) * 3 + 1);
    for (int i = 0; i < MOST; i++) {
        utf8_encode(0x4E00 + (uint32_t)i, utf8 + 3 * i); /* three bytes each */
    }
    CharText text = make(utf8, .1, 1);
    assert_int_equal(text.V, MOST);
    assert_int_equal(text.unseen, MOST - text.train);
    assert_close(chars_unigram_nats(&text, CHARS_TRAIN), log(text.train), 1e-9, 0);
    chars_free(&text);
    utf8_encode(0x4E00 + MOST, utf8 + 3 * MOST);
    assert_refused(utf8, .1, 1, "8193 different characters");
    free(utf8);
}

static void test_shares_that_are_none(void **state) {
    (void)state;
    CharText text;
    expect_check_message("a share of 0", chars_make(&text, "t", "abcd", 0, 1, &error));
    expect_check_message("a share of 1", chars_make(&text, "t", "abcd", 1, 1, &error));
    expect_check_message("windows of 0", chars_make(&text, "t", "abcd", .5, 0, &error));
    expect_check_message("a share of nan", chars_make(&text, "t", "abcd", (double)NAN, 1, &error));
}

/* ---- windows ---- */

/* A text whose ids are its places: every character once, in order of the code points. */
static CharText make_places(double held_out, int L) {
    char utf8[51] = "";
    for (int i = 0; i < 50; i++) {
        utf8[i] = (char)('0' + i);
    }
    return make(utf8, held_out, L);
}

static void test_windows_stay_in_their_part(void **state) {
    (void)state;
    enum { B = 64, L = 8, ROUNDS = 100 };
    CharText text = make_places(.2, L);
    int input[B * L], target[B * L];
    Rng rng = rng_seeded(2, 1);
    for (int part = CHARS_TRAIN; part <= CHARS_HELD_OUT; part++) {
        int low = part == CHARS_TRAIN ? 0 : 40, high = part == CHARS_TRAIN ? 39 : 49;
        int first = 49, last = 0;
        for (int round = 0; round < ROUNDS; round++) {
            chars_window(&text, (CharPart)part, &rng, B, L, input, target);
            for (int i = 0; i < B * L; i++) {
                assert_int_equal(input[i], input[i / L * L] + i % L); /* rows, one behind another */
                assert_int_equal(target[i], input[i] + 1);
                assert_in_range(input[i], low, high);
                assert_in_range(target[i], low, high);
                first = input[i] < first ? input[i] : first;
                last = target[i] > last ? target[i] : last;
            }
        }
        assert_int_equal(first, low); /* the first and the last place are drawn, too */
        assert_int_equal(last, high);
    }
    chars_free(&text);
}

/* Two places in the held-out part: each is drawn half of the time. */
static void test_places_are_equally_likely(void **state) {
    (void)state;
    enum { B = 10000 };
    CharText text = make_places(.08, 2);
    static int input[B * 2], target[B * 2];
    Rng rng = rng_seeded(3, 1);
    chars_window(&text, CHARS_HELD_OUT, &rng, B, 2, input, target);
    int count[2] = {0};
    for (int b = 0; b < B; b++) {
        assert_in_range(input[2 * b], 46, 47);
        count[input[2 * b] - 46]++;
    }
    assert_in_range(count[0], 4750, 5250); /* 5000 +- 5 deviations */
    chars_free(&text);
}

static void test_same_seed_same_windows(void **state) {
    (void)state;
    CharText text = make_places(.2, 4);
    int input[3][20], target[3][20];
    for (int i = 0; i < 3; i++) {
        Rng rng = rng_seeded(4, i < 2 ? 7 : 8);
        chars_window(&text, CHARS_TRAIN, &rng, 5, 4, input[i], target[i]);
    }
    assert_memory_equal(input[0], input[1], sizeof input[0]);
    assert_memory_equal(target[0], target[1], sizeof target[0]);
    assert_memory_not_equal(input[0], input[2], sizeof input[0]);
    chars_free(&text);
}

/* The held-out part is 40 .. 49: windows of 3 begin at 40 .. 46, and with every = 3 at 40, 43, 46,
 * so that 41 .. 49 are each a target once. */
static void test_fixed_windows(void **state) {
    (void)state;
    CharText text = make_places(.2, 3);
    int input[9], target[9];
    assert_int_equal(chars_every_count(&text, CHARS_HELD_OUT, 1, 3), 7);
    assert_int_equal(chars_every_count(&text, CHARS_HELD_OUT, 3, 3), 3);
    assert_int_equal(chars_every_count(&text, CHARS_HELD_OUT, 4, 3), 2);
    assert_int_equal(chars_every_count(&text, CHARS_HELD_OUT, 100, 3), 1);
    assert_int_equal(chars_every_count(&text, CHARS_TRAIN, 1, 39), 1);
    chars_every(&text, CHARS_HELD_OUT, 3, 0, 3, 3, input, target);
    assert_ids(input, (int[]){40, 41, 42, 43, 44, 45, 46, 47, 48}, 9);
    assert_ids(target, (int[]){41, 42, 43, 44, 45, 46, 47, 48, 49}, 9);
    chars_every(&text, CHARS_TRAIN, 10, 1, 2, 2, input, target);
    assert_ids(input, (int[]){10, 11, 20, 21}, 4);
    assert_ids(target, (int[]){11, 12, 21, 22}, 4);
    chars_free(&text);
}

static void test_windows_that_do_not_exist(void **state) {
    (void)state;
    CharText text = make_places(.2, 3);
    int input[30], target[30];
    Rng rng = rng_seeded(5, 1);
    expect_check_message("a window of 10 in a part of 10 characters",
                         chars_window(&text, CHARS_HELD_OUT, &rng, 1, 10, input, target));
    expect_check_message("a window of 0",
                         chars_window(&text, CHARS_TRAIN, &rng, 1, 0, input, target));
    expect_check_message("0 windows", chars_window(&text, CHARS_TRAIN, &rng, 0, 3, input, target));
    expect_check_message("every 0-th", chars_every_count(&text, CHARS_TRAIN, 0, 3));
    expect_check_message("windows 1 to 3 of 3",
                         chars_every(&text, CHARS_HELD_OUT, 3, 1, 3, 3, input, target));
    expect_check_message("windows -1 to 0 of 3",
                         chars_every(&text, CHARS_HELD_OUT, 3, -1, 2, 3, input, target));
    chars_free(&text);
}

/* ---- how hard the text is ---- */

/* Training part aabc: p = 1/2, 1/4, 1/4, 1.5 bits. Held out abcd: 2 bits. */
static void test_unigram_entropy(void **state) {
    (void)state;
    CharText text = make("aabcabcd", .5, 1);
    assert_close(chars_bits(chars_unigram_nats(&text, CHARS_TRAIN)), 1.5, 1e-12, 0);
    assert_close(chars_bits(chars_unigram_nats(&text, CHARS_HELD_OUT)), 2, 1e-12, 0);
    assert_close(chars_unigram_nats(&text, CHARS_HELD_OUT), 2 * log(2), 1e-12, 0);
    chars_free(&text);
}

/* ---- back and forth ---- */

static void test_encode(void **state) {
    (void)state;
    CharText text = make("aaabbé aaabbé", .5, 1);
    int ids[3], count;
    assert_true(chars_encode(&text, "éab", ids, 3, &count, &error));
    assert_int_equal(count, 3);
    assert_ids(ids, (int[]){2, 0, 1}, 3);
    assert_true(chars_encode(&text, "", ids, 3, &count, &error));
    assert_int_equal(count, 0);
    assert_false(chars_encode(&text, "abab", ids, 3, &count, &error));
    assert_string_equal(error.text, "longer than 3 characters");
    assert_false(chars_encode(&text, "a€", ids, 3, &count, &error));
    assert_non_null(strstr(error.text, "\"€\""));
    assert_false(chars_encode(&text, "\x1B[2J", ids, 3, &count, &error));
    assert_non_null(strstr(error.text, "\\x1B"));
    assert_false(chars_encode(&text, "\xE9", ids, 3, &count, &error)); /* no UTF-8 */
    chars_free(&text);
}

/* What could clear a screen or ring a bell is written out: also U+009B, the one-character form of
 * ESC [. */
static void test_control_characters_do_no_harm(void **state) {
    (void)state;
    CharText text = make("a\n\t\x1B\x7F\xC2\x9B\\ xyz", .2, 1);
    char *shown = chars_decode(&text, text.id, text.length);
    assert_string_equal(shown, "a\n\t\\x1B\\x7F\\x9B\\ xyz");
    free(shown);
    shown = chars_decode(&text, text.id, 0);
    assert_string_equal(shown, "");
    free(shown);
    expect_check_message("id 11 is not in 0..10", chars_decode(&text, (int[]){11}, 1));
    expect_check_message("id -1 is not in 0..10", chars_decode(&text, (int[]){-1}, 1));
    chars_free(&text);
}

static void test_labels(void **state) {
    (void)state;
    CharText text = make("a\n\t\x1B \xC2\x9B€🙂xyz", .2, 1);
    static const char *const expected[] = {"a", "\\n", "\\t", "\\x1B", "_", "\\x9B", "€", "🙂"};
    for (int i = 0; i < 8; i++) {
        char label[CHARS_LABEL];
        chars_label(&text, text.id[i], label);
        assert_string_equal(label, expected[i]);
    }
    char label[CHARS_LABEL];
    expect_check_message("id 11 is not in 0..10", chars_label(&text, 11, label));
    chars_free(&text);
}

/* ---- files ---- */

static bool load(const char *bytes, size_t size, int L, CharText *text) {
    char *path = path_join(scratch_folder(), "own.txt");
    assert_true(file_write(path, bytes, size, &error));
    bool fine = chars_load(text, path, .5, L, &error);
    if (!fine) {
        assert_non_null(strstr(error.text, "own.txt"));
        assert_null(strchr(error.text, '\n'));
        assert_null(text->id);
    }
    free(path);
    return fine;
}

#define LOAD(bytes, L, text) load(bytes, sizeof(bytes) - 1, L, text)

/* Fault 31: a byte order mark is no character, and every line end is one \n. */
static void test_load(void **state) {
    (void)state;
    CharText text;
    assert_true(LOAD("\xEF\xBB\xBFun\r\nnu\rnn\n", 3, &text));
    assert_int_equal(text.length, 9);
    assert_int_equal(text.V, 3);
    char *again = chars_decode(&text, text.id, text.length);
    assert_string_equal(again, "un\nnu\nnn\n");
    free(again);
    chars_free(&text);
}

/* Fault 31: one line of 100,000 characters is a text like any other. */
static void test_load_a_long_line(void **state) {
    (void)state;
    enum { LENGTH = 100000 };
    char *bytes = check_alloc(LENGTH + 1);
    for (int i = 0; i < LENGTH; i++) {
        bytes[i] = (char)('a' + i % 26);
    }
    CharText text;
    assert_true(load(bytes, LENGTH, 1000, &text));
    assert_int_equal(text.length, LENGTH);
    assert_close(chars_unigram_nats(&text, CHARS_TRAIN), log(26), 1e-6, 0);
    free(bytes);
    chars_free(&text);
}

/* Fault 31: what no model can read is refused in one line that names the file. */
static void test_load_refuses(void **state) {
    (void)state;
    CharText text;
    assert_false(LOAD("", 1, &text));
    assert_false(LOAD("\xEF\xBB\xBF", 1, &text));
    assert_false(LOAD("un\nd\xE9ux\n", 1, &text));
    assert_non_null(strstr(error.text, "line 2"));
    assert_false(LOAD("un\nde\0ux\n", 1, &text));
    assert_non_null(strstr(error.text, "NUL"));
    assert_false(LOAD("a few words", 32, &text));
    assert_non_null(strstr(error.text, "too short: 11 characters"));
    assert_false(chars_load(&text, scratch_folder(), .5, 1, &error));
    assert_non_null(strstr(error.text, scratch_folder()));
    assert_false(chars_load(&text, "no/such/file", .5, 1, &error));
    assert_non_null(strstr(error.text, "no/such/file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_by_frequency_then_appearance),
        cmocka_unit_test(test_characters_of_several_bytes),
        cmocka_unit_test(test_one_character_only),
        cmocka_unit_test(test_too_short),
        cmocka_unit_test(test_not_utf8),
        cmocka_unit_test(test_too_many_kinds),
        cmocka_unit_test(test_shares_that_are_none),
        cmocka_unit_test(test_windows_stay_in_their_part),
        cmocka_unit_test(test_places_are_equally_likely),
        cmocka_unit_test(test_same_seed_same_windows),
        cmocka_unit_test(test_fixed_windows),
        cmocka_unit_test(test_windows_that_do_not_exist),
        cmocka_unit_test(test_unigram_entropy),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_control_characters_do_no_harm),
        cmocka_unit_test(test_labels),
        SCRATCH_TEST(test_load),
        SCRATCH_TEST(test_load_a_long_line),
        SCRATCH_TEST(test_load_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
