#include "assert_close.h"

#include <stdlib.h>

#include "io/tsv.h"

static const char *written(void (*write)(FILE *, double), double value) {
    static char text[64];
    FILE *out = fmemopen(text, sizeof text, "w");
    write(out, value);
    fclose(out);
    return text;
}

static void write_float(FILE *out, double value) {
    tsv_float(out, (float)value);
}

static void test_text_stays_in_its_cell(void **state) {
    (void)state;
    char text[64] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    tsv_put(out, "a\tb\nc\rd\\e \xC3\xA9");
    fclose(out);
    assert_string_equal(text, "a\\tb\\nc\\rd\\\\e \xC3\xA9");
}

static void test_numbers_are_short_and_exact(void **state) {
    (void)state;
    assert_string_equal(written(tsv_number, 0.25), "0.25");
    assert_string_equal(written(tsv_number, 0.1), "0.1");
    assert_string_equal(written(tsv_number, (double)0.1f), "0.10000000149011612");
    assert_string_equal(written(write_float, 0.1), "0.1");
    assert_string_equal(written(write_float, 1.0 / 3), "0.33333334");
    assert_string_equal(written(tsv_number, 123456789012.0), "123456789012");
    assert_string_equal(written(tsv_number, -0.0), "0");
    assert_string_equal(written(tsv_number, 1e300), "1e+300");
}

static void test_numbers_read_back(void **state) {
    (void)state;
    double value = 1e-30;
    for (int i = 0; i < 2000; i++, value *= -1.0731234567) {
        assert_true(strtod(written(tsv_number, value), NULL) == value);
        assert_true(strtof(written(write_float, value), NULL) == (float)value);
    }
}

static void test_what_is_no_number(void **state) {
    (void)state;
    assert_string_equal(written(tsv_number, (double)NAN), "nan");
    assert_string_equal(written(tsv_number, -(double)NAN), "nan");
    assert_string_equal(written(tsv_number, (double)INFINITY), "inf");
    assert_string_equal(written(write_float, -(double)INFINITY), "-inf");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_stays_in_its_cell),
        cmocka_unit_test(test_numbers_are_short_and_exact),
        cmocka_unit_test(test_numbers_read_back),
        cmocka_unit_test(test_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
