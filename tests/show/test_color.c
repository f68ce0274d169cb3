#include "assert_close.h"

#include "show/color.h"

static double distance(Color a, Color b) {
    Lab p = color_lab(a), q = color_lab(b);
    double dl = p.lightness - q.lightness, da = p.a - q.a, db = p.b - q.b;
    return sqrt(dl * dl + da * da + db * db);
}

/* Values of the OKLab definition. */
static void test_lab_of_known_colors(void **state) {
    (void)state;
    static const struct {
        Color color;
        double lightness, a, b;
    } cases[] = {{{255, 255, 255}, 1, 0, 0},
                 {{0, 0, 0}, 0, 0, 0},
                 {{255, 0, 0}, 0.62796, 0.22486, 0.12585},
                 {{0, 255, 0}, 0.86644, -0.23389, 0.17950},
                 {{0, 0, 255}, 0.45201, -0.03246, -0.31153}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Lab lab = color_lab(cases[i].color);
        assert_close(lab.lightness, cases[i].lightness, 1e-4, 0);
        assert_close(lab.a, cases[i].a, 1e-4, 0);
        assert_close(lab.b, cases[i].b, 1e-4, 0);
    }
}

/* Equal steps of the value look equally large: over sixteen entries rounding to bytes hardly shows.
 */
static void assert_even(const ColorTable *table, int first, int last) {
    enum { STRIDE = 16 };
    double sum = 0, low = INFINITY, high = 0;
    int count = 0;
    for (int i = first; i + STRIDE <= last; i += 4, count++) {
        double step = distance(table->colors[i], table->colors[i + STRIDE]);
        sum += step;
        low = fmin(low, step);
        high = fmax(high, step);
    }
    assert_true(low > 0.88 * sum / count);
    assert_true(high < 1.12 * sum / count);
}

static void test_sequential_is_even(void **state) {
    (void)state;
    ColorTable table = color_table(COLOR_SEQUENTIAL);
    assert_even(&table, 0, COLOR_STEPS - 1);
}

/* The order of values survives in grey, in print and for every kind of colour-blindness. */
static void test_sequential_only_gets_darker(void **state) {
    (void)state;
    ColorTable table = color_table(COLOR_SEQUENTIAL);
    for (int i = 1; i < COLOR_STEPS; i++) {
        double before = color_lab(table.colors[i - 1]).lightness;
        assert_true(color_lab(table.colors[i]).lightness < before + 1e-3);
    }
    assert_true(color_lab(table.colors[0]).lightness > 0.97);
    assert_true(color_lab(table.colors[COLOR_STEPS - 1]).lightness < 0.26);
}

static void test_sequential_colors_differ(void **state) {
    (void)state;
    ColorTable table = color_table(COLOR_SEQUENTIAL);
    for (int i = 0; i + 4 < COLOR_STEPS; i++) {
        assert_true(distance(table.colors[i], table.colors[i + 4]) > 0.005);
    }
}

static void test_diverging_has_white_middle_and_equal_arms(void **state) {
    (void)state;
    ColorTable table = color_table(COLOR_DIVERGING);
    enum { HALF = COLOR_STEPS / 2 };
    for (int i = HALF - 1; i <= HALF; i++) {
        assert_int_equal(table.colors[i].red, 255);
        assert_int_equal(table.colors[i].green, 255);
        assert_int_equal(table.colors[i].blue, 255);
    }
    assert_even(&table, 0, HALF - 1);
    assert_even(&table, HALF, COLOR_STEPS - 1);
    for (int i = 0; i < HALF; i++) {
        double left = color_lab(table.colors[i]).lightness;
        double right = color_lab(table.colors[COLOR_STEPS - 1 - i]).lightness;
        assert_close(left, right, 0.03, 0);
    }
    assert_true(table.colors[0].blue > table.colors[0].red);
    assert_true(table.colors[COLOR_STEPS - 1].red > table.colors[COLOR_STEPS - 1].blue);
}

static void test_values_are_clamped(void **state) {
    (void)state;
    ColorTable table = color_table(COLOR_SEQUENTIAL);
    const Color *first = &table.colors[0], *last = &table.colors[COLOR_STEPS - 1];
    Color low = color_of(&table, -3), high = color_of(&table, 1e30);
    assert_memory_equal(&low, first, sizeof low);
    assert_memory_equal(&high, last, sizeof high);
    Color middle = color_of(&table, 100.0 / 255);
    assert_memory_equal(&middle, &table.colors[100], sizeof middle);
}

static void test_text_can_be_read_on_every_color(void **state) {
    (void)state;
    for (int map = COLOR_SEQUENTIAL; map <= COLOR_DIVERGING; map++) {
        ColorTable table = color_table(map);
        for (int i = 0; i < COLOR_STEPS; i++) {
            double text = color_lab(color_text_on(table.colors[i])).lightness;
            assert_true(fabs(text - color_lab(table.colors[i]).lightness) > 0.33);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lab_of_known_colors),
        cmocka_unit_test(test_sequential_is_even),
        cmocka_unit_test(test_sequential_only_gets_darker),
        cmocka_unit_test(test_sequential_colors_differ),
        cmocka_unit_test(test_diverging_has_white_middle_and_equal_arms),
        cmocka_unit_test(test_values_are_clamped),
        cmocka_unit_test(test_text_can_be_read_on_every_color),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
