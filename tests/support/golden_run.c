#include "assert_close.h"
#include "support/golden_kinds.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

static const GoldenKind *kind_of(const Golden *golden) {
    const GoldenKind *const tables[] = {golden_op_kinds,          golden_optim_kinds,
                                        golden_recurrent_kinds,   golden_attention_kinds,
                                        golden_dot_product_kinds, golden_transformer_kinds,
                                        golden_sampling_kinds};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const GoldenKind *kind = tables[i]; kind->name != NULL; kind++) {
            if (strcmp(kind->name, golden->kind) == 0) {
                return kind;
            }
        }
    }
    return NULL;
}

/* A shape that an operation refuses is a failure of this file, not the end of the program. */
static void fail_test(const char *message) {
    print_error("%s\n", message);
    _fail(__FILE__, __LINE__);
}

static void run_file(void **state) {
    const char *path = *state;
    GoldenError error = {""};
    Golden *golden = golden_read(path, &error);
    if (golden == NULL) {
        fail_msg("%s", error.text);
        return;
    }
    const GoldenKind *kind = kind_of(golden);
    if (kind == NULL) {
        fail_msg("%s: the kind '%s' is unknown", golden->file, golden->kind);
        return;
    }
    CheckHandler before = check_handler_set(fail_test);
    kind->run(golden);
    check_handler_set(before);
    golden_free(golden);
}

static int is_gold(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".gold") == 0;
}

/* What the folder lacks, as the one test there is. */
static void report_folder(void **state) {
    fail_msg("%s", (const char *)*state);
}

static int run_nothing(const char *folder, const char *why) {
    char text[PATH_MAX + 128];
    snprintf(text, sizeof text, "no reference values in %s: %s", folder, why);
    const struct CMUnitTest test = {folder, report_folder, NULL, NULL, text};
    return _cmocka_run_group_tests("golden", &test, 1, NULL, NULL);
}

int golden_run_folder(const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_gold, alphasort);
    if (count <= 0) {
        return run_nothing(folder, count < 0 ? strerror(errno) : "it has no file named *.gold");
    }
    struct CMUnitTest *tests = check_alloc((size_t)count * sizeof *tests);
    char(*paths)[PATH_MAX] = check_alloc((size_t)count * sizeof *paths);
    for (int i = 0; i < count; i++) {
        int length = snprintf(paths[i], sizeof paths[i], "%s/%s", folder, entries[i]->d_name);
        CHECK(length < PATH_MAX, "golden: the path of %s is too long", entries[i]->d_name);
        tests[i] = (struct CMUnitTest){entries[i]->d_name, run_file, NULL, NULL, paths[i]};
    }
    int failed = _cmocka_run_group_tests("golden", tests, (size_t)count, NULL, NULL);
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
    free(tests);
    free(paths);
    return failed;
}

/* Looks for start/tests/golden, start/../tests/golden and so on. */
static bool look_upward(const char *start, char *folder, size_t size) {
    char up[64] = "";
    for (int level = 0; level < 8; level++) {
        struct stat info;
        int length = snprintf(folder, size, "%s/%stests/golden", start, up);
        if (length < (int)size && stat(folder, &info) == 0 && S_ISDIR(info.st_mode)) {
            return true;
        }
        strcat(up, "../");
    }
    return false;
}

void golden_folder(const char *program, char *folder, size_t size) {
    const char *given = getenv("GOLDEN_DIR");
    if (given != NULL && given[0] != '\0') {
        snprintf(folder, size, "%s", given);
        return;
    }
    char start[PATH_MAX];
    snprintf(start, sizeof start, "%s", program);
    char *slash = strrchr(start, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    if (!look_upward(".", folder, size) && (slash == NULL || !look_upward(start, folder, size))) {
        snprintf(folder, size, "tests/golden");
    }
}
