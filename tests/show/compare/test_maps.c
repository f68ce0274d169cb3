/* Heatmaps of the same name: A, B, and B minus A with zero in white. */
#include "support/two_runs.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/picture.h"

static void draw(Comparison *c) {
    c->draw = true;
    compare_maps(c);
}

/* The middle of all pixels of one colour. */
static void middle_of(const Picture *picture, Color color, int *x, int *y) {
    double sum_x = 0, sum_y = 0;
    long count = 0;
    for (int row = 0; row < picture->height; row++) {
        for (int col = 0; col < picture->width; col++) {
            if (color_equal(picture_at(picture, col, row), color)) {
                sum_x += col;
                sum_y += row;
                count++;
            }
        }
    }
    assert_true(count > 200);
    *x = (int)(sum_x / (double)count);
    *y = (int)(sum_y / (double)count);
}

static Color diverging(double part) {
    ColorTable table = color_table(COLOR_DIVERGING);
    return color_of(&table, part);
}

/* B - A is 0, 0.8 above -0.8, 0.4: red where B has more, blue where it has less, white at zero. */
static void test_three_panels(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "look.map.tsv",
                 MAP_HEADER "0\ttitle\tattention\n0\tscale\tsequential\t0\t1\n"
                            "0\trow\tthe\t0.3\t0.1\n0\trow\tcat\t0.9\t0.2\n");
    two_runs_put(&two, 'B', "look.map.tsv",
                 MAP_HEADER "0\ttitle\tattention\n0\tscale\tsequential\t0\t1\n"
                            "0\trow\tthe\t0.3\t0.9\n0\trow\tcat\t0.1\t0.6\n");
    const char *text = two_runs_say(&two, draw);
    assert_part(text, "  look     attention  2 x 2           0.5   0.8\n");
    assert_int_equal(two.c.pictures, 1);
    Picture picture = picture_read(two_runs_path(&two, 'O', "look.png"));
    int more_x, more_y, less_x, less_y, half_x, half_y;
    middle_of(&picture, diverging(1), &more_x, &more_y);
    middle_of(&picture, diverging(0), &less_x, &less_y);
    middle_of(&picture, diverging(0.75), &half_x, &half_y);
    assert_true(abs(more_x - half_x) <= 3 && abs(less_y - half_y) <= 3);
    assert_true(less_x < more_x && more_y < less_y);
    assert_true(less_x > picture.width / 2); /* the third panel of three */
    assert_true(color_equal(picture_at(&picture, less_x, more_y), (Color){255, 255, 255}));
    picture_free(&picture);
    two_runs_free(&two);
}

static void test_equal_maps_are_white(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    for (int run = 'A'; run <= 'B'; run++) {
        two_runs_put(&two, (char)run, "look.map.tsv", MAP_HEADER "0\trow\ta\t0.3\t0.1\n");
    }
    assert_part(two_runs_say(&two, draw), "  look       0  1 x 2             0     0\n");
    Picture picture = picture_read(two_runs_path(&two, 'O', "look.png"));
    assert_true(picture_count(&picture, diverging(1)) < 100); /* in the colour bar alone */
    picture_free(&picture);
    two_runs_free(&two);
}

static void test_maps_of_other_words_and_sizes(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "look.map.tsv",
                 MAP_HEADER "0\trow\tdog\t1\t0\n1\trow\ta\t1\n1\trow\tb\t1\n2\trow\ta\tnan\n"
                            "3\trow\ta\t1\n");
    two_runs_put(&two, 'B', "look.map.tsv",
                 MAP_HEADER "0\trow\tcat\t0\t0\n1\trow\ta\t1\n2\trow\ta\t1\n");
    const char *text = two_runs_say(&two, draw);
    assert_part(text, "1 x 2, other words");
    assert_part(text, "  2 x 1, 1 x 1             -     -\n");
    assert_part(text, "               1 x 1             -     -\n"); /* nan on one side */
    assert_part(text, "4 in A, 3 in B: 3 compared");
    assert_int_equal(two.c.problems, 0);
    assert_int_equal(two.c.pictures, 2); /* those of two sizes by themselves: A and B alone */
    Picture picture = picture_read(two_runs_path(&two, 'O', "look_2.png"));
    assert_int_equal(picture_count(&picture, diverging(1)), 0);
    picture_free(&picture);
    two_runs_free(&two);
}

static void test_many_maps_go_on_several_pages(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    char text[2048] = MAP_HEADER;
    for (int i = 0; i < 9; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d\trow\ta\t0.3\t0.1\n", i);
    }
    two_runs_put(&two, 'A', "look.map.tsv", text);
    two_runs_put(&two, 'B', "look.map.tsv", text);
    two_runs_say(&two, draw);
    assert_int_equal(two.c.maps, 9);
    assert_int_equal(two.c.pictures, 3);
    assert_int_equal(folder_count(two.out), 3);
    assert_int_equal(access(two_runs_path(&two, 'O', "look_3.png"), F_OK), 0);
    two_runs_free(&two);
}

static void test_broken_maps_are_told(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "look.map.tsv", MAP_HEADER "0\trow\ta\t0.3\t0.1\n");
    two_runs_put(&two, 'B', "look.map.tsv", MAP_HEADER "0\trow\ta\t0.3\tx\n");
    assert_part(two_runs_say(&two, draw), "None.");
    assert_int_equal(two.c.problems, 1);
    assert_int_equal(folder_count(two.out), 0);
    two_runs_free(&two);
}

/* What lies in the folder of several seeds is of an earlier run. */
static void test_several_seeds_have_none(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "look.map.tsv", MAP_HEADER "0\trow\ta\t0.3\t0.1\n");
    two_runs_put(&two, 'B', "look.map.tsv", MAP_HEADER "0\trow\ta\t0.3\t0.1\n");
    two_runs_put(&two, 'B', "run.tsv", "lesson\t02_tiny\nseed\t4\nruns\t2\n");
    two_runs_put(&two, 'B', "spread.tsv", SPREAD_HEADER);
    assert_part(two_runs_say(&two, draw), "/seed_4.");
    assert_int_equal(folder_count(two.out), 0);
    two_runs_free(&two);
}

/* The same number has the same colour in A and B, although their ranges differ: that of both. */
static void test_one_range_for_both(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    static const char *const ranges[] = {"-1\t1", "0\t2"};
    for (int i = 0; i < 2; i++) {
        for (int run = 'A'; run <= 'B'; run++) {
            char text[256];
            snprintf(text, sizeof text, "%s0\tscale\tsequential\t%s\n0\trow\ta\t%s\n", MAP_HEADER,
                     ranges[(run == 'A') == (i == 0)], run == 'A' ? "0.5" : "0.500001");
            two_runs_put(&two, (char)run, "look.map.tsv", text);
        }
        two_runs_say(&two, draw);
        Picture picture = picture_read(two_runs_path(&two, 'O', "look.png"));
        ColorTable table = color_table(COLOR_SEQUENTIAL);
        Color middle = color_of(&table, 0.5); /* 0.5 lies in the middle of -1 .. 2 */
        long left = 0, right = 0;
        for (int y = 0; y < picture.height; y++) {
            for (int x = 0; x < picture.width * 2 / 3; x++) {
                bool same = color_equal(picture_at(&picture, x, y), middle);
                left += same && x < picture.width / 3;
                right += same && x >= picture.width / 3;
            }
        }
        assert_true(left > 400 && right > 400);
        picture_free(&picture);
    }
    two_runs_free(&two);
}

/* Differences of all maps of a page are in the colours of the largest. */
static void test_one_scale_for_a_page(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    for (int first = 0; first < 2; first++) {
        two_runs_put(&two, 'A', "look.map.tsv", MAP_HEADER "0\trow\ta\t0\n1\trow\ta\t0\n");
        two_runs_put(&two, 'B', "look.map.tsv",
                     first == 0 ? MAP_HEADER "0\trow\ta\t0.8\n1\trow\ta\t0.4\n"
                                : MAP_HEADER "0\trow\ta\t0.4\n1\trow\ta\t0.8\n");
        two_runs_say(&two, draw);
        Picture picture = picture_read(two_runs_path(&two, 'O', "look.png"));
        int whole_y, half_y, x;
        middle_of(&picture, diverging(1), &x, &whole_y);
        middle_of(&picture, diverging(0.75), &x, &half_y);
        assert_true(first == 0 ? whole_y < half_y : half_y < whole_y);
        picture_free(&picture);
    }
    two_runs_free(&two);
}

/* Outlines stand in A and in B; the difference has none. */
static void test_outlines(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    static const char plain[] = MAP_HEADER "0\trow\ta\t0\t1\n";
    static const char marked[] = MAP_HEADER "0\trow\ta\t0\t1\n0\tmark\ta\t0\t1\n";
    const Color outline = {230, 85, 0};
    long count[2];
    for (int run = 'A'; run <= 'B'; run++) {
        two_runs_put(&two, 'A', "look.map.tsv", run == 'A' ? marked : plain);
        two_runs_put(&two, 'B', "look.map.tsv", run == 'B' ? marked : plain);
        two_runs_say(&two, draw);
        Picture picture = picture_read(two_runs_path(&two, 'O', "look.png"));
        count[run - 'A'] = picture_count(&picture, outline);
        picture_free(&picture);
    }
    assert_true(count[0] > 0);
    assert_int_equal(count[0], count[1]);
    two_runs_free(&two);
}

/* As many cells are not the same shape; maps that cannot be subtracted have no third panel. */
static void test_other_shapes(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    two_runs_put(&two, 'A', "look.map.tsv", MAP_HEADER "0\trow\ta\t0\t1\n");
    two_runs_put(&two, 'B', "look.map.tsv", MAP_HEADER "0\trow\ta\t0\n0\trow\tb\t1\n");
    assert_part(two_runs_say(&two, draw), "1 x 2, 2 x 1             -     -\n");
    Picture two_panels = picture_read(two_runs_path(&two, 'O', "look.png"));
    assert_int_equal(picture_count(&two_panels, diverging(1)), 0);
    assert_int_equal(picture_count(&two_panels, diverging(0)), 0);
    picture_free(&two_panels);
    two_runs_free(&two);
}

static void test_more_maps_than_are_compared(void **state) {
    (void)state;
    TwoRuns two = two_runs_new();
    char *text = calloc(1, 8192);
    strcpy(text, MAP_HEADER);
    for (int i = 0; i < 66; i++) {
        size_t used = strlen(text);
        snprintf(text + used, 8192 - used, "%d\trow\ta\t0.3\t0.1\n", i);
    }
    two_runs_put(&two, 'A', "look.map.tsv", text);
    two_runs_put(&two, 'B', "look.map.tsv", text);
    free(text);
    assert_part(two_runs_say(&two, compare_maps), "66 in A, 66 in B: 64 compared");
    assert_int_equal(two.c.maps, 64);
    two_runs_put(&two, 'A', "look.map.tsv", MAP_HEADER "0\trow\ta\t0\t1\n");
    assert_part(two_runs_say(&two, compare_maps), "1 in A, 66 in B: 1 compared");
    two_runs_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_panels),
        cmocka_unit_test(test_equal_maps_are_white),
        cmocka_unit_test(test_maps_of_other_words_and_sizes),
        cmocka_unit_test(test_many_maps_go_on_several_pages),
        cmocka_unit_test(test_broken_maps_are_told),
        cmocka_unit_test(test_several_seeds_have_none),
        cmocka_unit_test(test_one_range_for_both),
        cmocka_unit_test(test_one_scale_for_a_page),
        cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_other_shapes),
        cmocka_unit_test(test_more_maps_than_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
