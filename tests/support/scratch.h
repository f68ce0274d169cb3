/* A folder for one test (or one test program), made before it and removed behind it.
 *
 *     static void test_reading(void **state) {
 *         const char *path = scratch_text("a.tsv", "1\t2\n");
 *         ...
 *     }
 *     const struct CMUnitTest tests[] = {SCRATCH_TEST(test_reading)};
 *
 * or, one folder for all, cmocka_run_group_tests(tests, scratch_begin, scratch_end). */
#ifndef TESTS_SUPPORT_SCRATCH_H
#define TESTS_SUPPORT_SCRATCH_H

#include "assert_close.h"

int scratch_begin(void **state);
int scratch_end(void **state);

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_begin, scratch_end)

/* Where it is, below $TMPDIR or /tmp. */
const char *scratch_folder(void);

/* The path of a name in it. Good until the next call but three. */
const char *scratch_path(const char *name);

/* Writes a file there, of bytes or of a text, and gives its path, good as long. Folders in the name
 * are made. */
const char *scratch_bytes(const char *name, const void *bytes, size_t size);
const char *scratch_text(const char *name, const char *text);

#endif
