/* Files that lie. A parse that must fail does so in one line that names the file; one that succeeds
 * holds nothing but what is within the bytes. */
#include "assert_close.h"

#include <stdlib.h>

#include "core/rng.h"
#include "io/safetensors.h"

/* A file of this header, after `length` as its length (-1: the true one), and `data` bytes. */
static bool parse(const char *header, long long length, size_t data, SafeTensors *set,
                  Error *error) {
    size_t size = strlen(header);
    uint64_t told = length < 0 ? size : (uint64_t)length;
    unsigned char *bytes = malloc(8 + size + data); /* exactly: the sanitizers watch its end */
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(told >> (8 * i));
    }
    memcpy(bytes + 8, header, size);
    memset(bytes + 8 + size, 7, data);
    *error = (Error){""};
    return safetensors_parse("bad.safetensors", (char *)bytes, 8 + size + data, set, error);
}

static void expect_error(const char *header, long long length, size_t data, const char *says) {
    SafeTensors set;
    Error error;
    if (parse(header, length, data, &set, &error)) {
        fail_msg("accepted: %s", header);
    }
    if (strstr(error.text, says) == NULL) {
        fail_msg("%s: \"%s\", and not: %s", header, error.text, says);
    }
    assert_ptr_equal(strstr(error.text, "bad.safetensors: "), error.text);
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(set.count, 0);
}

#define ARRAY(name, dtype, shape, begin, end)                                                      \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end \
    "]}"

static void expect_good(const char *header, size_t data, int count) {
    SafeTensors set;
    Error error;
    if (!parse(header, -1, data, &set, &error)) {
        fail_msg("refused: %s: %s", header, error.text);
    }
    assert_int_equal(set.count, count);
    safetensors_free(&set);
}

static void test_what_is_allowed(void **state) {
    (void)state;
    expect_good("{}", 0, 0);
    expect_good("{}      ", 0, 0); /* blanks behind it */
    expect_good("{\"__metadata__\":{}}", 0, 0);
    expect_good("{" ARRAY("a", "F32", "[2]", 0, 8) "}", 8, 1);
    expect_good("{ \"a\" : { \"shape\" : [ 2 , 1 ] , \"data_offsets\" : [ 0 , 8 ] , "
                "\"dtype\" : \"F32\" } }",
                8, 1);
    expect_good("{" ARRAY("a", "F32", "[]", 0, 4) "}", 4, 1); /* a single number */
    expect_good("{" ARRAY("a", "F32", "[0,9223372036854775807]", 0, 0) "}", 0, 1); /* nothing */
    expect_good("{" ARRAY("b", "U8", "[3]", 2, 5) "," ARRAY("a", "F16", "[1]", 0, 2) "}", 5, 2);
    expect_good("{" ARRAY("a", "U8", "[2]", 0, 2) "," ARRAY("e", "F64", "[0]", 2, 2) "," ARRAY(
                    "b", "U8", "[1]", 2, 3) "}",
                3, 3);
    /* an empty array may stand at the place of another one, before or behind it in the header */
    expect_good("{" ARRAY("a", "U8", "[2]", 0, 2) "," ARRAY("e", "F64", "[0]", 0, 0) "}", 2, 2);
    expect_good("{" ARRAY("", "BF16", "[1]", 0, 2) "}", 2, 1);
    expect_good("{" ARRAY("a", "F4", "[4]", 0, 2) "}", 2, 1);
}

/* Bytes of eight numbers of each dtype that has been published. */
static void test_dtypes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t bytes;
    } known[] = {{"F64", 64}, {"F32", 32}, {"F16", 16}, {"BF16", 16},   {"F8_E4M3", 8},
                 {"I64", 64}, {"I32", 32}, {"I16", 16}, {"I8", 8},      {"F8_E5M2", 8},
                 {"U64", 64}, {"U32", 32}, {"U16", 16}, {"U8", 8},      {"F8_E8M0", 8},
                 {"C64", 64}, {"BOOL", 8}, {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char header[128];
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"%s\",\"shape\":[8],\"data_offsets\":[0,%zu]}}", known[i].name,
                 known[i].bytes);
        expect_good(header, known[i].bytes, 1);
    }
}

static void test_lengths(void **state) {
    (void)state;
    SafeTensors set;
    Error error = {""};
    assert_false(safetensors_parse("bad", strdup("1234567"), 7, &set, &error));
    assert_string_equal(error.text, "bad: too short for a safetensors file");
    expect_error("{}", 3, 0, "its header has 3 bytes and the file only 10");
    expect_error("{}", 100000000, 0, "cut off");
    expect_error("{}", 100000001, 0, "the limit is 100000000");
    expect_error("{}", (long long)(UINT64_MAX >> 1), 0, "9223372036854775807 bytes, the limit");
    expect_error("{}", 1, 0, "JSON, byte 2: a string is needed");
    expect_error("{}", 0, 2, "does not begin with {");
    expect_error("", 0, 0, "does not begin with {");
    expect_error(" {}", -1, 0, "does not begin with {");
    expect_error("[]", -1, 0, "does not begin with {");
}

static void test_arrays_that_do_not_fit(void **state) {
    (void)state;
    expect_error("{" ARRAY("a", "F32", "[2]", 0, 8) "}", -1, 7, "ends at byte 8 of the data");
    expect_error("{" ARRAY("a", "F32", "[2]", 0, 8) "}", -1, 9, "1 bytes at the end belong to no");
    expect_error("{" ARRAY("a", "F32", "[3]", 0, 8) "}", -1, 8,
                 "the shape (3) in F32 takes 12 bytes, not 8");
    expect_error("{" ARRAY("a", "F32", "[1]", 0, 8) "}", -1, 8,
                 "the shape (1) in F32 takes 4 bytes, not 8");
    expect_error("{" ARRAY("a", "F32", "[0]", 0, 8) "}", -1, 8,
                 "the shape (0) in F32 takes 0 bytes, not 8");
    expect_error("{" ARRAY("a", "F32", "[2]", 8, 0) "}", -1, 8, "ends before it begins");
    expect_error("{" ARRAY("a", "F32", "[2]", 9223372036854775808, 9223372036854775816) "}", -1, 8,
                 "a number too large");
    expect_error("{" ARRAY("a", "U8", "[2]", 1, 3) "}", -1, 3, "a: there is a gap before it");
    expect_error("{" ARRAY("a", "U8", "[2]", 0, 2) "," ARRAY("b", "U8", "[2]", 1, 3) "}", -1, 3,
                 "b: it overlaps");
    expect_error("{" ARRAY("a", "U8", "[2]", 0, 2) "," ARRAY("b", "U8", "[2]", 0, 2) "}", -1, 2,
                 "it overlaps");
    expect_error("{" ARRAY("a", "U8", "[2]", 0, 2) "," ARRAY("b", "U8", "[1]", 3, 4) "}", -1, 4,
                 "b: there is a gap before it");
    expect_error("{" ARRAY("a", "F4", "[3]", 0, 1) "}", -1, 1, "no array can have the shape (3)");
    expect_error("{" ARRAY("a", "F32", "[4294967296,4294967296]", 0, 0) "}", -1, 0,
                 "no array can have the shape (4294967296, 4294967296) in F32");
    expect_error("{" ARRAY("a", "F32", "[4611686018427387905]", 0, 4) "}", -1, 4,
                 "no array can have the shape"); /* times 4 it is 4 again, in 64 bits */
    expect_error("{" ARRAY("a", "F32", "[2]", 9223372036854775800, 9223372036854775807) "}", -1, 8,
                 "ends at byte 9223372036854775807");
    expect_error("{" ARRAY("a", "F32", "[1,1,1,1,1,1,1,1,1]", 0, 4) "}", -1, 4,
                 "more than 8 dimensions");
    expect_error("{" ARRAY("a", "F33", "[1]", 0, 4) "}", -1, 4, "unknown dtype \"F33\"");
    expect_error("{" ARRAY("a", "F32", "[18446744073709551616]", 0, 4) "}", -1, 4, "too large");
    expect_error("{" ARRAY("a", "F32", "[-1]", 0, 4) "}", -1, 4, "without a sign");
    expect_error("{" ARRAY("a", "F32", "[1.0]", 0, 4) "}", -1, 4, "a whole number");
}

static void test_names(void **state) {
    (void)state;
    expect_error("{" ARRAY("a", "U8", "[1]", 0, 1) "," ARRAY("a", "U8", "[1]", 1, 2) "}", -1, 2,
                 "a: two arrays have this name");
    expect_error("{" ARRAY("a", "U8", "[1]", 0, 1) "," ARRAY("\\u0061", "U8", "[1]", 1, 2) "}", -1,
                 2, "a: two arrays have this name");
    expect_error("{\"__metadata__\":{},\"__metadata__\":{\"a\":\"b\"}}", -1, 0, "twice");
    expect_error("{\"__metadata__\":{\"a\":1}}", -1, 0, "a string is needed");
    expect_error("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", -1, 0, "stands there twice");
    expect_error("{\"a\":{\"dtype\":\"U8\",\"shape\":[0]}}", -1, 0, "',' is needed");
    expect_error("{\"a\":{\"type\":\"U8\"}}", -1, 0, "\"type\" is no part of the format");
    expect_error("{" ARRAY("\xFF", "U8", "[1]", 0, 1) "}", -1, 1, "not valid UTF-8");
    expect_error("{" ARRAY("a\\u0000b", "U8", "[1]", 0, 1) "}", -1, 1, "U+0000");
    expect_error("{" ARRAY("a", "U8", "[1]", 0, 1) ",}", -1, 1, "a string is needed");
    expect_error("{" ARRAY("a", "U8", "[1]", 0, 1) "}x", -1, 1, "nothing may follow");
    expect_error("{" ARRAY("a", "U8", "[1,]", 0, 1) "}", -1, 1, "a whole number");
    expect_error("{\"a\":null}", -1, 0, "'{' is needed");
    expect_error("{" ARRAY("a\\nb", "U8", "[2]", 0, 1) "}", -1, 1, "a b: the shape");
}

/* A megabyte of brackets: nothing recurses. A long name: the message stays one short line. */
static void test_deep_and_long(void **state) {
    (void)state;
    enum { MANY = 1000000 };
    char *text = malloc(MANY + 64);
    for (const char *open = "[{\""; *open; open++) {
        strcpy(text, "{\"a\":{\"shape\":");
        size_t used = strlen(text);
        memset(text + used, *open, MANY);
        text[used + MANY] = '\0';
        expect_error(text, -1, 0, "JSON, byte ");
    }
    memset(text, 'x', MANY);
    memcpy(text, "{\"", 2);
    strcpy(text + MANY, "\":{\"dtype\":\"no\"}}");
    expect_error(text, -1, 0, "unknown dtype");
    free(text);
}

/* ---- anything else ---- */

/* What is found must lie within the file, and be what its shape says. */
static void check_set(const SafeTensors *set, const char *bytes, size_t size) {
    size_t all = 0;
    for (int i = 0; i < set->count; i++) {
        const SafeArray *array = &set->array[i];
        const char *begin = (const char *)array->bytes;
        assert_true(begin >= bytes + 8 && begin + array->size <= bytes + size);
        assert_true(array->ndim <= SAFETENSORS_DIMS);
        assert_ptr_equal(safetensors_find(set, array->name), array);
        all += array->size;
        void *numbers = malloc(array->size + 8);
        if (strcmp(array->dtype, "F32") == 0) {
            assert_int_equal(safearray_count(array), array->size / 4);
            safearray_floats(array, numbers);
        }
        safearray_doubles(array, numbers);
        free(numbers);
    }
    assert_true(all <= size);
}

static const char *const pieces[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     "\"",
                                     ",",
                                     ":",
                                     "0",
                                     "1",
                                     "9",
                                     "99999",
                                     "-",
                                     ".",
                                     "e",
                                     "\\u0000",
                                     "\\uD800",
                                     "\\",
                                     "F32",
                                     "\"F64\"",
                                     "null",
                                     "\xFF",
                                     "\xC3",
                                     "4294967297",
                                     "9223372036854775807",
                                     "\n",
                                     "\"a\"",
                                     "\"shape\"",
                                     "\"dtype\"",
                                     "\"data_offsets\"",
                                     "__metadata__",
                                     "[]",
                                     "{}"};

/* Changes, drops or inserts something at a random place of the header. */
static size_t mutate(Rng *rng, char *text, size_t size, size_t room) {
    size_t at = rng_below(rng, (uint32_t)size);
    uint32_t how = rng_below(rng, 4);
    if (how == 0) {
        text[at] = (char)rng_below(rng, 256);
        return size;
    }
    if (how == 1) {
        size_t drop = 1 + rng_below(rng, 8);
        drop = drop < size - at ? drop : size - at - 1;
        memmove(text + at, text + at + drop, size - at - drop);
        return size - drop;
    }
    const char *piece = pieces[rng_below(rng, sizeof pieces / sizeof *pieces)];
    size_t length = strlen(piece);
    if (how == 2 && size + length < room) {
        memmove(text + at + length, text + at, size - at);
        memcpy(text + at, piece, length);
        return size + length;
    }
    memcpy(text + at, piece, length < size - at ? length : size - at);
    return size;
}

static void test_mutated_files(void **state) {
    (void)state;
    static const char header[] =
        "{\"__metadata__\":{\"k\":\"v\"}," ARRAY("a/w", "F32", "[2,3]", 0, 24) "," ARRAY(
            "a:x", "F64", "[1]", 24, 32) "," ARRAY("b", "U8", "[3]", 32, 35) "}";
    enum { ROOM = 1024, TIMES = 60000 };
    Rng rng = rng_seeded(5, 20);
    int good = 0;
    for (int i = 0; i < TIMES; i++) {
        char text[ROOM];
        size_t size = 8 + sizeof header - 1;
        memset(text, 0, 8);
        memcpy(text + 8, header, sizeof header - 1);
        memset(text + size, 1, 35);
        size += 35;
        for (uint32_t k = rng_below(&rng, 4); k > 0; k--) {
            size = 8 + mutate(&rng, text + 8, size - 8, ROOM - 8);
        }
        size_t told = rng_below(&rng, 8) > 0 ? size - 8 - 35 : rng_below(&rng, ROOM);
        text[0] = (char)(told & 0xFF);
        text[1] = (char)(told >> 8);
        if (rng_below(&rng, 50) == 0) {
            text[2 + rng_below(&rng, 6)] = (char)rng_below(&rng, 256);
        }
        char *bytes = malloc(size);
        memcpy(bytes, text, size);
        SafeTensors set;
        Error error = {""};
        if (safetensors_parse("x", bytes, size, &set, &error)) {
            check_set(&set, bytes, size);
            safetensors_free(&set);
            good++;
        } else {
            assert_true(strncmp(error.text, "x: ", 3) == 0 && strlen(error.text) > 8);
            assert_null(strchr(error.text, '\n'));
        }
    }
    assert_true(good > TIMES / 8 && good < TIMES / 2); /* both ways were gone often */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_allowed), cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_lengths),         cmocka_unit_test(test_arrays_that_do_not_fit),
        cmocka_unit_test(test_names),           cmocka_unit_test(test_deep_and_long),
        cmocka_unit_test(test_mutated_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
