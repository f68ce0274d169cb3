#include "assert_close.h"

#include <stdlib.h>

#include "io/safetensors.h"
#include "support/scratch.h"
#include "support/picture.h"

static void test_what_is_put_in_comes_out(void **state) {
    (void)state;
    SafeTensors set = {0};
    const float w[] = {1, -0.0f, NAN, INFINITY, 1e-40f, 3};
    const double x[] = {0.1, -NAN, 1e300};
    assert_true(safetensors_put_floats(&set, "a/w", 2, (const int[]){2, 3}, w));
    assert_true(safetensors_put_doubles(&set, "a:x", 3, x));
    assert_true(safetensors_put_bytes(&set, "words", 4, "a\0b"));
    assert_true(safetensors_put_doubles(&set, "none", 0, x));
    assert_true(safetensors_put_text(&set, "lesson", "01"));
    assert_true(safetensors_put_text(&set, "lesson", "02 \"\n"));
    assert_false(safetensors_put_floats(&set, "words", 1, (const int[]){1}, w)); /* a name twice */
    assert_int_equal(set.count, 4);

    Error error = {""};
    const char *path = scratch_path("set.safetensors");
    assert_true(safetensors_write(&set, path, &error));
    safetensors_free(&set);
    assert_true(safetensors_read(path, &set, &error));
    assert_int_equal(set.count, 4);
    float w2[6];
    double x2[3];
    const SafeArray *a = safetensors_find(&set, "a/w");
    assert_true(safearray_floats(a, w2) && !safearray_doubles(a, x2));
    assert_memory_equal(w, w2, sizeof w); /* bit for bit, NaN and all */
    assert_string_equal(safearray_shape(a).text, "(2, 3)");
    a = safetensors_find(&set, "a:x");
    assert_true(safearray_doubles(a, x2) && !safearray_floats(a, w2));
    assert_memory_equal(x, x2, sizeof x);
    a = safetensors_find(&set, "words");
    assert_int_equal(a->size, 4);
    assert_memory_equal(a->bytes, "a\0b", 4);
    assert_int_equal(safetensors_find(&set, "none")->size, 0);
    assert_null(safetensors_find(&set, "other"));
    assert_string_equal(safetensors_text(&set, "lesson"), "02 \"\n");
    assert_null(safetensors_text(&set, "other"));
    safetensors_free(&set);
}

/* The published layout, byte by byte: little-endian whatever this machine is. */
static void test_layout(void **state) {
    (void)state;
    static const char header[] =
        "{\"__metadata__\":{\"k\":\"v\"},"
        "\"x\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
        "\"w\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[8,16]},"
        "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[16,17]}}";
    SafeTensors set = {0};
    safetensors_put_bytes(&set, "b", 1, "!");
    safetensors_put_floats(&set, "w", 2, (const int[]){2, 1}, (const float[]){1, -2});
    safetensors_put_doubles(&set, "x", 1, (const double[]){0.5});
    safetensors_put_text(&set, "k", "v");
    Error error = {""};
    const char *path = scratch_path("layout.safetensors");
    assert_true(safetensors_write(&set, path, &error));
    safetensors_free(&set);
    char *bytes;
    size_t size, length = sizeof header - 1, padded = (length + 7) / 8 * 8;
    assert_true(file_read(path, 4096, &bytes, &size, &error));
    assert_int_equal(size, 8 + padded + 17);
    assert_int_equal((unsigned char)bytes[0], padded % 256);
    assert_int_equal((unsigned char)bytes[1], padded / 256);
    assert_memory_equal(bytes + 2, "\0\0\0\0\0\0", 6);
    assert_memory_equal(bytes + 8, header, length);
    for (size_t i = length; i < padded; i++) {
        assert_int_equal(bytes[8 + i], ' ');
    }
    assert_memory_equal(bytes + 8 + padded,
                        "\0\0\0\0\0\0\xE0\x3F"
                        "\0\0\x80\x3F\0\0\0\xC0!",
                        17);
    free(bytes);
}

/* Whatever the length of the header, the numbers lie at multiples of eight. */
static void test_padding(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        SafeTensors set = {0};
        char *bytes;
        size_t size;
        char value[9];
        snprintf(value, sizeof value, "%.*s", i, "xxxxxxxx");
        safetensors_put_text(&set, "k", value);
        const char *path = scratch_path("padded.safetensors");
        assert_true(safetensors_write(&set, path, NULL));
        assert_true(file_read(path, 4096, &bytes, &size, NULL));
        assert_int_equal(bytes[0] % 8, 0);
        assert_int_equal(size, 8 + bytes[0]);
        free(bytes);
        safetensors_free(&set);
    }
}

/* In whatever order they were put in, before and after a file was read. */
static void test_arrays_are_found(void **state) {
    (void)state;
    static const char *const names[] = {"m", "z", "a", "q"};
    SafeTensors set = {0};
    Error error = {""};
    for (int i = 0; i < 3; i++) {
        assert_true(safetensors_put_bytes(&set, names[i], 1, names[i]));
    }
    for (int read = 0; read < 2; read++) {
        for (int i = 0; i < 3 + read; i++) {
            const SafeArray *found = safetensors_find(&set, names[i]);
            assert_non_null(found);
            assert_int_equal(found->bytes[0], names[i][0]);
        }
        if (!read) {
            const char *path = scratch_path("found.safetensors");
            assert_true(safetensors_write(&set, path, &error));
            safetensors_free(&set);
            assert_true(safetensors_read(path, &set, &error));
            assert_false(safetensors_put_bytes(&set, "z", 1, "z"));
            assert_true(safetensors_put_bytes(&set, names[3], 1, names[3]));
        }
    }
    safetensors_free(&set);
}

static void test_an_empty_set(void **state) {
    (void)state;
    SafeTensors set = {0};
    Error error = {""};
    const char *path = scratch_path("empty.safetensors");
    assert_true(safetensors_write(&set, path, &error));
    assert_true(safetensors_read(path, &set, &error));
    assert_int_equal(set.count, 0);
    assert_null(safetensors_find(&set, ""));
    safetensors_free(&set);
}

/* Whole or not at all: a file that cannot be written leaves the one before it alone. */
static void test_written_whole_or_not(void **state) {
    (void)state;
    SafeTensors set = {0};
    Error error = {""};
    safetensors_put_text(&set, "k", "v");
    const char *nowhere = scratch_path("missing/x.safetensors");
    assert_false(safetensors_write(&set, nowhere, &error));
    assert_non_null(strstr(error.text, "its folder does not exist"));
    assert_false(safetensors_write(&set, "/dev/full/x", &error));
    safetensors_free(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_put_in_comes_out),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_arrays_are_found),
        cmocka_unit_test(test_an_empty_set),
        cmocka_unit_test(test_written_whole_or_not),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
