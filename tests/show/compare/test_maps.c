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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_panels),
        cmocka_unit_test(test_equal_maps_are_white),
        cmocka_unit_test(test_maps_of_other_words_and_sizes),
        cmocka_unit_test(test_many_maps_go_on_several_pages),
        cmocka_unit_test(test_broken_maps_are_told),
        cmocka_unit_test(test_several_seeds_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
