/* The runner of reference values must fail where it should, say why in one line, and never crash.
 */
#include "assert_close.h"
#include "support/golden_kinds.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder of the test's own. */
typedef struct Folder {
    char path[512];
} Folder;

static int folder_make(void **state) {
    Folder *folder = check_alloc(sizeof *folder);
    const char *scratch = getenv("TMPDIR");
    snprintf(folder->path, sizeof folder->path, "%s/test_golden_XXXXXX",
             scratch != NULL && scratch[0] != '\0' ? scratch : P_tmpdir);
    *state = folder;
    return mkdtemp(folder->path) == NULL;
}

static const char *const file_names[] = {"a.gold", "b.gold", "c.gold", "notes.txt"};

static int folder_remove(void **state) {
    Folder *folder = *state;
    for (int i = 0; i < 4; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder->path, file_names[i]);
        remove(path); /* those that are there; an empty folder, too */
    }
    int failed = rmdir(folder->path);
    free(folder);
    return failed;
}

static void write_file(const Folder *folder, const char *name, const char *text) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* What the runner says about a folder, and how many tests it counts as failed (-1: it crashed). */
typedef struct Verdict {
    int failed;
    char output[16384];
} Verdict;

static Verdict run_folder(const char *path) {
    Verdict verdict = {-1, ""};
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        int failed = golden_run_folder(path);
        fflush(stdout);
        _exit(failed);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n;
         (n = read(ends[0], verdict.output + got, sizeof verdict.output - 1 - got)) > 0;) {
        got += (size_t)n;
    }
    verdict.output[got] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
        verdict.failed = WEXITSTATUS(status);
    }
    return verdict;
}

static void assert_says(const Verdict *verdict, const char *text) {
    if (strstr(verdict->output, text) == NULL) {
        fail_msg("the runner does not say \"%s\" but:\n%s", text, verdict->output);
    }
}

/* The folder with this one file in it: one failed test that says `text`. */
static void assert_refused(void **state, const char *content, const char *text) {
    write_file(*state, "a.gold", content);
    Verdict verdict = run_folder(((Folder *)*state)->path);
    assert_int_equal(verdict.failed, 1);
    assert_says(&verdict, text);
    assert_says(&verdict, "[  FAILED  ] a.gold");
}

#define HEAD "gold 1\nkind relu\n"
#define X "tensor in.x 1 3\n1 -2 3\n"
#define Y "tensor out.y 1 3\n1 0 3\n"
#define WEIGHT "tensor cot.y 1 3\n4 5 6\n"
#define BACK "tensor grad.x 1 3\n4 0 6\n"
#define GOOD HEAD X Y WEIGHT BACK

static void test_right_files_pass(void **state) {
    write_file(*state, "a.gold", GOOD);
    write_file(*state, "b.gold", /* other line ends, other white space, no line end at the end */
               "gold 1\r\nkind relu\r\n\r\ntensor in.x 1 1 -3\r\n\ttensor out.y 1 1\n0 "
               "tensor cot.y 1 1 2 tensor grad.x 1 1\n0");
    write_file(*state, "notes.txt", "not a reference value");
    Verdict verdict = run_folder(((Folder *)*state)->path);
    assert_int_equal(verdict.failed, 0);
    assert_says(&verdict, "[       OK ] a.gold");
    assert_says(&verdict, "[       OK ] b.gold");
    assert_says(&verdict, "2 test(s) run");
}

static void test_each_file_is_a_test_of_its_own(void **state) {
    write_file(*state, "a.gold", "gold 1\nkind nonsense\n" X);
    write_file(*state, "b.gold", GOOD);
    write_file(*state, "c.gold", HEAD X BACK);
    Verdict verdict = run_folder(((Folder *)*state)->path);
    assert_int_equal(verdict.failed, 2);
    assert_says(&verdict, "[  FAILED  ] a.gold");
    assert_says(&verdict, "[       OK ] b.gold");
    assert_says(&verdict, "[  FAILED  ] c.gold");
    assert_says(&verdict, "c.gold (relu): the file has no tensor out.y");
}

static void test_an_empty_or_missing_folder_fails(void **state) {
    Folder *folder = *state;
    char text[700];
    write_file(folder, "notes.txt", GOOD);
    Verdict verdict = run_folder(folder->path);
    assert_int_equal(verdict.failed, 1);
    snprintf(text, sizeof text, "no reference values in %s: it has no file named *.gold",
             folder->path);
    assert_says(&verdict, text);
    verdict = run_folder("/nowhere/at/all");
    assert_int_equal(verdict.failed, 1);
    assert_says(&verdict, "no reference values in /nowhere/at/all: No such file or directory");
}

static void test_an_unknown_kind_fails(void **state) {
    assert_refused(state, "gold 1\nkind tahn\n" X, "a.gold: the kind 'tahn' is unknown");
}

static void test_wrong_values_name_tensor_and_place(void **state) {
    assert_refused(
        state, HEAD X "tensor out.y 1 3\n1 0 3.001\n" WEIGHT BACK,
        "a.gold (relu): out.y [2] is 3, expected 3.001 (difference 0.001, allowed 0.00031");
    assert_refused(state, HEAD X Y WEIGHT "tensor grad.x 1 3\n4 5 6\n",
                   "a.gold (relu): grad.x [1] is 0, expected 5");
    assert_refused(state, HEAD X "tensor out.y 2 1 3\n1 0 3\n" WEIGHT BACK,
                   "a.gold (relu): the result is relu (3), the file's out.y (1, 3)");
}

static void test_nothing_in_a_file_is_left_out(void **state) {
    assert_refused(state, GOOD "tensor out.z 1 1\n7\n",
                   "a.gold (relu): out.z is not used by this kind");
    assert_refused(state, GOOD "tensor grad.w 1 1\n7\n",
                   "a.gold (relu): grad.w is not used by this kind");
    assert_refused(state, GOOD "tensor in.mask 1 1\n7\n",
                   "a.gold (relu): in.mask is not used by this kind");
    assert_refused(state, GOOD "tensor cot.z 1 1\n7\n",
                   "a.gold (relu): cot.z is not used by this kind");
}

static void test_what_belongs_together_is_there(void **state) {
    assert_refused(state, HEAD X Y WEIGHT, "a.gold (relu): the file has no tensor grad.x");
    assert_refused(state, HEAD X WEIGHT BACK, "a.gold (relu): the file has no tensor out.y");
    assert_refused(
        state, HEAD X Y BACK,
        "a.gold (relu): there are gradients, but no result has a weight (cot) in the loss");
    assert_refused(state, HEAD X Y "tensor cot.y 2 1 3\n4 5 6\n" BACK,
                   "a.gold (relu): cot.y (1, 3) and out.y (3) differ in shape");
    assert_refused(state, HEAD X Y WEIGHT "tensor grad.x 2 3 1\n4 0 6\n",
                   "a.gold (relu): grad.x (3, 1) and in.x (3) differ in shape");
}

static void test_malformed_numbers(void **state) {
    assert_refused(state, HEAD "tensor in.x 1 3\n1 -2\n",
                   "a.gold: line 5: tensor in.x: 2 values, but the shape needs 3");
    assert_refused(state, HEAD "tensor in.x 1 3\n1 -2\ntensor out.y 1 1\n0\n",
                   "a.gold: line 5: tensor in.x: 2 values, but the shape needs 3");
    assert_refused(state, HEAD "tensor in.x 1 3\n1 -2\n3 4\n",
                   "a.gold: line 5: '4' where 'tensor' or 'attr' should be");
    assert_refused(state, HEAD "tensor in.x 1 3\n1 nan 3\n",
                   "a.gold: line 4: tensor in.x: value 1 is 'nan', which is no finite number");
    assert_refused(state, HEAD "tensor in.x 1 3\n1 2 -inf\n",
                   "a.gold: line 4: tensor in.x: value 2 is '-inf', which is no finite number");
    assert_refused(state, HEAD "tensor in.x 1 3\n1 1e999 3\n",
                   "'1e999', which is no finite number");
    assert_refused(state, HEAD "tensor in.x 1 3\n1 2,5 3\n", "'2,5', which is no finite number");
}

static void test_malformed_shapes(void **state) {
    assert_refused(state, HEAD "tensor in.x 5 1 1 1 1 1\n1\n",
                   "line 3: tensor in.x: the number of dimensions is '5'; allowed are 1 to 4");
    assert_refused(state, HEAD "tensor in.x 0\n",
                   "line 3: tensor in.x: the number of dimensions is '0'; allowed are 1 to 4");
    assert_refused(state, HEAD "tensor in.x 2 3 -1\n1\n", "tensor in.x: the dimension is '-1'");
    assert_refused(state, HEAD "tensor in.x two\n1\n", "the number of dimensions is 'two'");
    assert_refused(state, HEAD "tensor in.x 4 999999 999999 999999 999999\n1\n",
                   "tensor in.x: its values are more than the file holds");
    assert_refused(state, HEAD "tensor x 1 3\n1 -2 3\n",
                   "line 3: tensor x: a name begins with in. out. cot. or grad.");
    assert_refused(state, HEAD X X, "line 5: tensor in.x is there twice");
    assert_refused(state, HEAD "tensor",
                   "line 3: the file ends where a name of a tensor should be");
}

#define LAYER                                                                                      \
    X BACK "tensor in.weight 1 3 1 1 1\ntensor in.bias 1 3 0 0 0\n"                                \
           "tensor grad.weight 1 3 1 1 1\ntensor grad.bias 1 3 0 0 0\n"

static void test_malformed_heads(void **state) {
    assert_refused(state, "", "a.gold: line 1: the file must begin with 'gold 1'");
    assert_refused(state, "gold", "a.gold: line 1: the file ends where a version should be");
    assert_refused(state, "gold 2\nkind relu\n" X,
                   "line 1: version '2'; this program reads version 1");
    assert_refused(state, "gold 1\n" X, "a.gold: line 2: 'kind NAME' must follow");
    assert_refused(state, HEAD, "there is no tensor in it");
    assert_refused(state, "gold 1\nkind layernorm\nattr eps\n" X,
                   "where 'tensor' or 'attr' should be");
    assert_refused(state, "gold 1\nkind layernorm\nattr eps small\n" LAYER,
                   "a.gold (layernorm): attr eps is 'small', which is no number");
    assert_refused(state, "gold 1\nkind layernorm\n" LAYER,
                   "a.gold (layernorm): the file has no attr eps");
}

/* A shape that an operation refuses is a failed test, too, and the next file is still run. */
static void test_shapes_that_do_not_go_together(void **state) {
    write_file(*state, "b.gold", GOOD);
    assert_refused(state,
                   "gold 1\nkind matmul\ntensor in.a 2 1 2 1 2\ntensor in.b 2 1 2 1 2\n"
                   "tensor grad.a 2 1 2 1 2\ntensor grad.b 2 1 2 1 2\n",
                   "matmul: in.a (1, 2) times in.b (1, 2): 2 != 1");
    Verdict verdict = run_folder(((Folder *)*state)->path);
    assert_says(&verdict, "[       OK ] b.gold");
}

static void test_whole_numbers_are_whole(void **state) {
    assert_refused(state,
                   "gold 1\nkind embedding\ntensor in.table 2 2 1 5 6\ntensor grad.table 2 2 1 5 "
                   "6\ntensor in.ids 1 2 0 0.5\n"
                   "tensor out.y 2 2 1 5 6\n",
                   "a.gold (embedding): in.ids [1] is 0.5, which is no whole number");
}

static void test_a_folder_given_as_a_file(void **state) {
    char path[600];
    snprintf(path, sizeof path, "%s/a.gold", ((Folder *)*state)->path);
    assert_int_equal(mkdir(path, 0700), 0);
    Verdict verdict = run_folder(((Folder *)*state)->path);
    assert_int_equal(verdict.failed, 1);
    assert_says(&verdict, "a.gold: Is a directory");
}

static void test_where_the_files_are(void **state) {
    (void)state;
    char folder[PATH_MAX], before[PATH_MAX];
    const char *given = getenv("GOLDEN_DIR");
    snprintf(before, sizeof before, "%s", given != NULL ? given : "");
    assert_int_equal(setenv("GOLDEN_DIR", "some/where", 1), 0);
    golden_folder("x", folder, sizeof folder);
    assert_string_equal(folder, "some/where");
    assert_int_equal(unsetenv("GOLDEN_DIR"), 0);
    golden_folder("x", folder, sizeof folder);
    assert_non_null(strstr(folder, "tests/golden"));
    if (given != NULL) {
        assert_int_equal(setenv("GOLDEN_DIR", before, 1), 0);
    }
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        in_a_folder(test_right_files_pass),
        in_a_folder(test_each_file_is_a_test_of_its_own),
        in_a_folder(test_an_empty_or_missing_folder_fails),
        in_a_folder(test_an_unknown_kind_fails),
        in_a_folder(test_wrong_values_name_tensor_and_place),
        in_a_folder(test_nothing_in_a_file_is_left_out),
        in_a_folder(test_what_belongs_together_is_there),
        in_a_folder(test_malformed_numbers),
        in_a_folder(test_malformed_shapes),
        in_a_folder(test_malformed_heads),
        in_a_folder(test_shapes_that_do_not_go_together),
        in_a_folder(test_whole_numbers_are_whole),
        in_a_folder(test_a_folder_given_as_a_file),
        cmocka_unit_test(test_where_the_files_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
