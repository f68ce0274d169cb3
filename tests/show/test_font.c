#include "assert_close.h"

#include <stdlib.h>

#include "io/utf8.h"
#include "show/font.h"

/* Beyond ASCII and Latin-1: the French letters, quotes, dashes and signs that lessons use. */
static const uint32_t others[] = {0x152,  0x153,  0x178,  0x201C, 0x201D, 0x2018, 0x2019, 0x2013,
                                  0x2014, 0x2026, 0x20AC, 0x2192, 0x2190, 0x2191, 0x2193, 0x2264,
                                  0x2265, 0x2260, 0x2248, 0x221A, 0x2022, 0x2423};
enum { OTHERS = sizeof others / sizeof others[0], COVERED = 94 + 95 + OTHERS };

/* Every code point that must have a picture of its own: 94 of ASCII, 95 of Latin-1 (without the two
 * blanks; the soft hyphen looks like a hyphen), and the others. */
static int covered_list(uint32_t codes[COVERED]) {
    int count = 0;
    for (uint32_t code = '!'; code <= 0xFF; code++) {
        if (code <= '~' || (code > 0xA0 && code != 0xAD)) {
            codes[count++] = code;
        }
    }
    for (int i = 0; i < OTHERS; i++) {
        codes[count++] = others[i];
    }
    return count;
}

static bool glyph_equal(const Glyph *a, const Glyph *b) {
    return a->width == b->width && memcmp(a->rows, b->rows, sizeof a->rows) == 0;
}

static void test_every_character_is_there_and_different(void **state) {
    (void)state;
    uint32_t codes[COVERED];
    static Glyph glyphs[COVERED];
    Glyph box;
    int count = covered_list(codes);
    assert_false(font_glyph(0x4E2D, &box));
    for (int i = 0; i < count; i++) {
        if (!font_glyph(codes[i], &glyphs[i]) || glyph_equal(&glyphs[i], &box)) {
            fail_msg("U+%04X has no picture", (unsigned)codes[i]);
        }
        for (int j = 0; j < i; j++) {
            if (glyph_equal(&glyphs[i], &glyphs[j])) {
                fail_msg("U+%04X looks like U+%04X", (unsigned)codes[i], (unsigned)codes[j]);
            }
        }
    }
}

static void test_ink_stays_inside(void **state) {
    (void)state;
    uint32_t codes[COVERED];
    int count = covered_list(codes);
    for (int i = 0; i < count; i++) {
        Glyph glyph;
        font_glyph(codes[i], &glyph);
        int columns = 0;
        for (int y = 0; y < FONT_HEIGHT; y++) {
            columns |= glyph.rows[y];
        }
        assert_in_range(glyph.width, 1, FONT_WIDTH);
        assert_int_equal(columns >> glyph.width, 0);
        if (!(columns & 1) || !(columns >> (glyph.width - 1) & 1)) {
            fail_msg("U+%04X has an empty column at a side", (unsigned)codes[i]);
        }
    }
}

/* Letters stand on the base line; only those with a tail go below. */
static void test_letters_stand_on_the_base_line(void **state) {
    (void)state;
    for (const char *c = "ABCDEFGHIJKLMNOPRSTUVWXYZabcdefhiklmnorstuvwxz0123456789"; *c; c++) {
        Glyph glyph;
        font_glyph((uint32_t)*c, &glyph);
        assert_true(glyph.rows[FONT_BASELINE] != 0);
        assert_int_equal(glyph.rows[FONT_BASELINE + 1], 0);
        assert_int_equal(glyph.rows[FONT_CAP_TOP - 1], 0);
    }
    for (const char *c = "gjpqy"; *c; c++) {
        Glyph glyph;
        font_glyph((uint32_t)*c, &glyph);
        assert_true(glyph.rows[FONT_BASELINE + 2] != 0);
    }
}

/* An accented letter is its letter plus an accent, and the same whether written as one code point
 * or as two. */
static void test_accents(void **state) {
    (void)state;
    static const struct {
        uint32_t code;
        char letter;
        const char *two;
    } cases[] = {{0xE9, 'e', "e\xCC\x81"},  {0xE8, 'e', "e\xCC\x80"}, {0xEA, 'e', "e\xCC\x82"},
                 {0xEB, 'e', "e\xCC\x88"},  {0xE7, 'c', "c\xCC\xA7"}, {0xF9, 'u', "u\xCC\x80"},
                 {0xEE, 'i', "i\xCC\x82"},  {0xEF, 'i', "i\xCC\x88"}, {0xC9, 'E', "E\xCC\x81"},
                 {0xC7, 'C', "C\xCC\xA7"},  {0xF1, 'n', "n\xCC\x83"}, {0xC5, 'A', "A\xCC\x8A"},
                 {0x178, 'Y', "Y\xCC\x88"}, {0xCE, 'I', "I\xCC\x82"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Glyph whole, letter, two;
        const char *text = cases[i].two;
        assert_true(font_glyph(cases[i].code, &whole));
        font_glyph((uint32_t)cases[i].letter, &letter);
        assert_true(font_next(&text, &two));
        assert_int_equal(*text, '\0');
        assert_true(glyph_equal(&whole, &two));
        assert_false(glyph_equal(&whole, &letter));
        for (int y = FONT_SMALL_TOP; y <= FONT_BASELINE; y++) { /* the letter is still there */
            assert_int_equal(whole.rows[y], letter.rows[y]);
        }
    }
}

/* Between a letter and its accent one row stays free, so that they do not run together. */
static void test_accents_keep_their_distance(void **state) {
    (void)state;
    static const uint32_t small[] = {0xE9, 0xE8, 0xEA, 0xEB, 0xE5, 0xF1, 0xEE, 0xEF};
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        Glyph glyph;
        font_glyph(small[i], &glyph);
        assert_true(glyph.rows[FONT_SMALL_TOP - 2] != 0);
        assert_int_equal(glyph.rows[FONT_SMALL_TOP - 1], 0);
        font_glyph(small[i] - 0x20, &glyph); /* its capital */
        assert_true(glyph.rows[0] != 0 || glyph.rows[1] != 0);
    }
    Glyph cedilla;
    font_glyph(0xE7, &cedilla);
    assert_true(cedilla.rows[FONT_BASELINE + 1] != 0);
}

static void test_unknown_is_a_box(void **state) {
    (void)state;
    static const uint32_t unknown[] = {0x4E2D, 0x1F600, 0x3B1, 0x7F, 0x85, 1, '\n', 0xFFFD, 0x100};
    Glyph box, glyph;
    font_glyph(0x4E2D, &box);
    assert_int_equal(box.width, FONT_WIDTH);
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_false(font_glyph(unknown[i], &glyph));
        assert_true(glyph_equal(&glyph, &box));
    }
    const char *text = "\xC3"; /* a character cut off */
    assert_true(font_next(&text, &glyph));
    assert_true(glyph_equal(&glyph, &box));
    assert_false(font_next(&text, &glyph));
}

static void test_widths_add_up(void **state) {
    (void)state;
    Glyph a, b;
    font_glyph('a', &a);
    font_glyph('b', &b);
    assert_int_equal(font_width(""), 0);
    assert_int_equal(font_width("a"), a.width);
    assert_int_equal(font_width("ab"), a.width + FONT_GAP + b.width);
    assert_true(font_width("a b") > font_width("ab") + FONT_GAP);
    assert_int_equal(font_width("a\xC2\xA0"
                                "b"),
                     font_width("a b"));
}

static void test_shortening_keeps_the_width(void **state) {
    (void)state;
    static const char text[] = "anticonstitutionnellement \xC3\xA9l\xC3\xA8ve \xC5\x93uf";
    char out[64];
    int full = font_width(text);
    assert_int_equal(font_shorten(out, sizeof out, text, full), full);
    assert_string_equal(out, text);
    for (int width = 10; width < full; width++) {
        int used = font_shorten(out, sizeof out, text, width);
        assert_true(used <= width && used >= width - 12); /* at most a letter is wasted */
        assert_int_equal(used, font_width(out));
        assert_true(utf8_valid(out, strlen(out), NULL));
        size_t kept = strlen(out) - 3;
        assert_string_equal(out + kept, "\xE2\x80\xA6");
        assert_memory_equal(out, text, kept);
        assert_true(kept == 0 || out[kept - 1] != ' ');
    }
    font_shorten(out, 8, text, full); /* no room for more bytes */
    assert_string_equal(out, "anti\xE2\x80\xA6");
}

static void test_mask_at_scale_one_is_the_bitmap(void **state) {
    (void)state;
    TextMask mask;
    Glyph glyph;
    font_glyph(0xE9, &glyph);
    assert_true(text_mask("\xC3\xA9", 1, &mask));
    assert_int_equal(mask.width, glyph.width);
    assert_int_equal(mask.height, FONT_HEIGHT);
    for (int y = 0; y < FONT_HEIGHT; y++) {
        for (int x = 0; x < glyph.width; x++) {
            assert_int_equal(mask.coverage[y * mask.width + x], glyph.rows[y] >> x & 1 ? 255 : 0);
        }
    }
    text_mask_free(&mask);
}

/* A larger text has the size it says, ink where the bitmap has ink, and smooth edges. */
static void test_mask_grows_with_the_scale(void **state) {
    (void)state;
    static const char text[] = "Sx8/";
    TextMask one, large;
    assert_true(text_mask(text, 1, &one));
    for (int scale = 2; scale <= FONT_MAX_SCALE; scale++) {
        int grey = 0;
        assert_true(text_mask(text, scale, &large));
        assert_int_equal(large.width, scale * font_width(text));
        assert_int_equal(large.height, scale * FONT_HEIGHT);
        for (int i = 0; i < large.width * large.height; i++) {
            grey += large.coverage[i] > 0 && large.coverage[i] < 255;
        }
        assert_true(grey > 10);
        for (int y = 0; y < one.height; y++) {
            for (int x = 0; x < one.width; x++) {
                int ink = 0; /* mean over the pixels of one dot */
                for (int i = 0; i < scale * scale; i++) {
                    int to = (y * scale + i / scale) * large.width + x * scale + i % scale;
                    ink += large.coverage[to];
                }
                ink /= scale * scale;
                assert_true(one.coverage[y * one.width + x] ? ink > 127 : ink < 128);
            }
        }
        text_mask_free(&large);
    }
    text_mask_free(&one);
}

static void test_mask_of_nothing(void **state) {
    (void)state;
    TextMask mask;
    assert_true(text_mask("", 2, &mask));
    assert_int_equal(mask.width, 0);
    text_mask_free(&mask);
}

/* At two pixels per dot the letters that differ by a corner must still differ. */
static void test_smoothing_keeps_letters_apart(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"D", "O"}, {"0", "O"}, {"1", "l"}, {"I", "l"},
                                           {"5", "S"}, {"8", "B"}, {"2", "Z"}, {"rn", "m"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        TextMask a, b;
        assert_true(text_mask(pairs[i][0], 2, &a) && text_mask(pairs[i][1], 2, &b));
        int differ = a.width == b.width ? 0 : 1000;
        for (int j = 0; differ < 1000 && j < a.width * a.height; j++) {
            differ += abs(a.coverage[j] - b.coverage[j]) > 100;
        }
        if (differ < 6) {
            fail_msg("%s and %s differ in %d pixels", pairs[i][0], pairs[i][1], differ);
        }
        text_mask_free(&a);
        text_mask_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_character_is_there_and_different),
        cmocka_unit_test(test_ink_stays_inside),
        cmocka_unit_test(test_letters_stand_on_the_base_line),
        cmocka_unit_test(test_accents),
        cmocka_unit_test(test_accents_keep_their_distance),
        cmocka_unit_test(test_unknown_is_a_box),
        cmocka_unit_test(test_widths_add_up),
        cmocka_unit_test(test_shortening_keeps_the_width),
        cmocka_unit_test(test_mask_at_scale_one_is_the_bitmap),
        cmocka_unit_test(test_mask_grows_with_the_scale),
        cmocka_unit_test(test_mask_of_nothing),
        cmocka_unit_test(test_smoothing_keeps_letters_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
