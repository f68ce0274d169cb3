#include "assert_close.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "show/canvas.h"
#include "show/font.h"
#include "support/scratch.h"
#include "support/picture.h"

static const Color white = {255, 255, 255}, red = {200, 30, 40}, blue = {0, 0, 255};
static Canvas canvas_new(int width, int height) {
    Canvas canvas;
    Error error;
    assert_true(canvas_make(&canvas, width, height, white, &error));
    return canvas;
}

static Picture canvas_picture(const Canvas *canvas) {
    return (Picture){canvas->width, canvas->height, canvas->pixels};
}

static void test_shapes_are_cut_at_the_borders(void **state) {
    (void)state;
    Canvas canvas = canvas_new(20, 10);
    Picture seen = canvas_picture(&canvas);
    canvas_fill(&canvas, -5, -5, 8, 7, red); /* 3 x 2 of it are inside */
    assert_int_equal(picture_count(&seen, red), 6);
    canvas_fill(&canvas, 18, 8, 100, 100, blue);
    assert_int_equal(picture_count(&seen, blue), 4);
    canvas_dot(&canvas, 20, 0, blue);
    canvas_dot(&canvas, 0, -1, blue);
    assert_int_equal(picture_count(&seen, blue), 4);
    canvas_text(&canvas, -20, -3, "wide text over all borders", 3, red);
    canvas_text_up(&canvas, 15, 30, "wide text over all borders", 2, red);
    canvas_free(&canvas);
}

static void test_outline_lies_inside(void **state) {
    (void)state;
    Canvas canvas = canvas_new(20, 20);
    Picture seen = canvas_picture(&canvas);
    canvas_outline(&canvas, 2, 3, 10, 8, 2, red);
    assert_int_equal(picture_count(&seen, red), 10 * 8 - 6 * 4);
    assert_true(color_equal(picture_at(&seen, 2, 3), red));
    assert_true(color_equal(picture_at(&seen, 11, 10), red));
    assert_true(color_equal(picture_at(&seen, 4, 5), white));
    assert_true(color_equal(picture_at(&seen, 12, 10), white));
    canvas_free(&canvas);
}

static void test_text_is_drawn_where_it_says(void **state) {
    (void)state;
    Canvas canvas = canvas_new(60, 30);
    Picture seen = canvas_picture(&canvas);
    Glyph glyph;
    font_glyph('F', &glyph);
    canvas_text(&canvas, 7, 5, "F", 1, red);
    for (int y = 0; y < FONT_HEIGHT; y++) {
        for (int x = 0; x < FONT_WIDTH; x++) {
            bool ink = x < glyph.width && glyph.rows[y] >> x & 1;
            assert_true(color_equal(picture_at(&seen, 7 + x, 5 + y), ink ? red : white));
        }
    }
    canvas_free(&canvas);
}

/* What is read upwards is the same text turned by a quarter: x goes up, y goes right. */
static void test_text_up_is_text_turned(void **state) {
    (void)state;
    for (int scale = 1; scale <= 3; scale++) {
        Canvas flat = canvas_new(200, 60), turned = canvas_new(60, 200);
        Picture a = canvas_picture(&flat), b = canvas_picture(&turned);
        canvas_text(&flat, 10, 6, "key \xC3\xA9\xC5\x93,", scale, red);
        canvas_text_up(&turned, 6, 189, "key \xC3\xA9\xC5\x93,", scale, red);
        for (int y = 0; y < 60; y++) {
            for (int x = 0; x < 200; x++) {
                assert_true(color_equal(picture_at(&a, x, y), picture_at(&b, y, 199 - x)));
            }
        }
        assert_true(picture_count(&a, red) > 40);
        canvas_free(&flat);
        canvas_free(&turned);
    }
}

static void test_png_holds_the_pixels(void **state) {
    (void)state;
    Error error;
    Canvas canvas = canvas_new(37, 23);
    for (int i = 0; i < 37 * 23 * 3; i++) {
        canvas.pixels[i] = (uint8_t)(i * 31 + i / 17);
    }
    assert_true(canvas_write_png(&canvas, scratch_path("a.png"), &error));
    Picture picture = picture_read(scratch_path("a.png")), seen = canvas_picture(&canvas);
    assert_int_equal(picture.width, 37);
    assert_int_equal(picture.height, 23);
    assert_true(picture_same(&picture, 0, 0, &seen, 0, 0, 37, 23));
    picture_free(&picture);
    canvas_free(&canvas);
}

static void test_png_is_the_same_twice(void **state) {
    (void)state;
    Error error;
    size_t sizes[2];
    char *bytes[2];
    Canvas canvas = canvas_new(300, 200);
    canvas_text(&canvas, 5, 5, "the same bytes every time", 2, red);
    for (int i = 0; i < 2; i++) {
        const char *path = scratch_path(i == 0 ? "a.png" : "b.png");
        assert_true(canvas_write_png(&canvas, path, &error));
        bytes[i] = text_read(path, &sizes[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
    canvas_free(&canvas);
}

static void test_png_into_missing_folder(void **state) {
    (void)state;
    Error error;
    Canvas canvas = canvas_new(5, 5);
    assert_false(canvas_write_png(&canvas, scratch_path("no/a.png"), &error));
    assert_non_null(strstr(error.text, "no/a.png"));
    assert_null(strchr(error.text, '\n'));
    canvas_free(&canvas);
}

/* faults.md 26: a full disk gives one line and leaves no half picture, small or large. */
static void test_png_on_full_disk(void **state) {
    (void)state;
    struct rlimit before, full;
    Error error;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int side = 20; side <= 1000; side += 980) {
        Canvas canvas = canvas_new(side, side);
        for (int i = 0; i < side * side * 3; i++) { /* noise, so that it does not compress */
            canvas.pixels[i] = (uint8_t)((unsigned)i * 2654435761u >> 13);
        }
        full = before;
        full.rlim_cur = 100;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
        bool written = canvas_write_png(&canvas, scratch_path("full.png"), &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(written);
        assert_non_null(strstr(error.text, "full.png: cannot be written"));
        assert_int_equal(folder_count(scratch_folder()), 0);
        canvas_free(&canvas);
    }
    signal(SIGXFSZ, SIG_DFL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_are_cut_at_the_borders),
        cmocka_unit_test(test_outline_lies_inside),
        cmocka_unit_test(test_text_is_drawn_where_it_says),
        cmocka_unit_test(test_text_up_is_text_turned),
        SCRATCH_TEST(test_png_holds_the_pixels),
        SCRATCH_TEST(test_png_is_the_same_twice),
        SCRATCH_TEST(test_png_into_missing_folder),
        SCRATCH_TEST(test_png_on_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
