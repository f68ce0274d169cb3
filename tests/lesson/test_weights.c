/* --save and --load, on a stage: what a run has trained, another one shows. */
#include "support/picture.h"
#include "support/scratch.h"
#include "support/stage.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/ops.h"
#include "io/safetensors.h"
#include "lesson/fit.h"
#include "lesson/weights.h"

enum { TRAININGS = 3, ROOM = 8 };

/* Models of one weight (rows, 2), each trained by fit_train() with the same label but for the last.
 */
typedef struct Play {
    int rows, full;     /* of the weight; steps that the lesson asks for */
    const Vocab *vocab; /* of the first */
    bool nothing;       /* trains none */
    bool runs_away;     /* into nan, from the first step on */

    float w[TRAININGS][ROOM];
    FitCurve curve[TRAININGS];
    int steps_taken;
} Play;

typedef struct Bowl {
    Tensor *w;
    int *steps;
} Bowl;

static Tensor *bowl_loss(void *model, Tape *tape) {
    Bowl *bowl = model;
    ++*bowl->steps;
    return op_scale(tape, op_sum(tape, op_mul(tape, bowl->w, bowl->w)), 0.5f);
}

static double bowl_check(void *model, Tape *tape) {
    (void)tape;
    return (double)((Bowl *)model)->w->data[0];
}

static void act(Run *run, void *context) {
    Play *play = context;
    for (int i = 0; i < TRAININGS && !play->nothing; i++) {
        Params params = params_new();
        char purpose[32];
        snprintf(purpose, sizeof purpose, "weights %d", i);
        Rng rng = run_rng(run, purpose);
        Bowl bowl = {params_add(&params, "bowl", "w", init_normal(1), SHAPE(play->rows, 2)),
                     &play->steps_taken};
        params_allocate(&params, &rng);
        bowl.w->data[0] = play->runs_away ? NAN : bowl.w->data[0];
        Fit fit = {.label = i < 2 ? "bowl" : "a/b: c",
                   .params = &params,
                   .loss = bowl_loss,
                   .model = &bowl,
                   .steps = run_steps(run, play->full, 2),
                   .rate = 0.0625f,
                   .check_every = 2,
                   .check = bowl_check,
                   .source = i == 0 ? play->vocab : NULL};
        play->curve[i] = fit_train(run, &fit);
        memcpy(play->w[i], bowl.w->data, (size_t)play->rows * 2 * sizeof(float));
        params_free(&params);
    }
    claim_trained(run, "trained", "a claim that needs the training", 1, "==", 1);
}

/* Plays with these flags; "@" stands for the file. What goes to stderr comes back in `said`. */
static Stage play_with(Play *play, const char *flags, const char *file, char said[1024]) {
    char text[1024];
    const char *at = strchr(flags, '@');
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - flags), flags, file, at + 1);
    const char *errors = scratch_path("stderr");
    fflush(stderr);
    int before = dup(STDERR_FILENO);
    assert_non_null(freopen(errors, "w+", stderr));
    Stage stage = stage_play(act, play, text);
    fflush(stderr);
    rewind(stderr);
    size_t size = fread(said, 1, 1023, stderr);
    said[size] = '\0';
    dup2(before, STDERR_FILENO);
    close(before);
    return stage;
}

static void test_a_loaded_run_is_the_saved_one(void **state) {
    (void)state;
    char *file = strdup(scratch_path("w.safetensors")), said[1024];
    Play saved = {.rows = 2, .full = 5}, loaded = saved;
    Stage stage = play_with(&saved, "--save @", file, said);
    assert_int_equal(stage.status, 0);
    assert_int_equal(saved.steps_taken, 5 * TRAININGS);
    assert_string_equal(lesson_claim(&stage, "trained"), "holds");
    lesson_run_free(&stage);
    stage = play_with(&loaded, "--load @", file, said);
    assert_int_equal(stage.status, 0);
    assert_string_equal(said, "");
    assert_int_equal(loaded.steps_taken, 0);
    assert_string_equal(lesson_claim(&stage, "trained"), "holds");
    lesson_run_free(&stage);
    assert_memory_equal(saved.w, loaded.w, sizeof saved.w);
    assert_memory_equal(saved.curve, loaded.curve, sizeof saved.curve);
    assert_true(memcmp(saved.w[0], saved.w[1], sizeof saved.w[0]) != 0);
    assert_int_equal(loaded.curve[0].n, 3);
    free(file);
}

static void test_what_is_in_the_file(void **state) {
    (void)state;
    char *file = strdup(scratch_path("names.safetensors")), said[1024];
    Play play = {.rows = 2, .full = 5};
    Stage stage = play_with(&play, "--seed 3 --save @", file, said);
    lesson_run_free(&stage);
    SafeTensors set;
    Error error;
    assert_true(safetensors_read(file, &set, &error));
    static const char *const names[] = {"9.1/bowl/bowl.w",         "9.1/bowl (2)/bowl.w",
                                        "9.1/a,b, c/bowl.w",       "9.1/bowl:curve.loss",
                                        "9.1/bowl (2):curve.step", "9.1/a,b, c:steps"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (safetensors_find(&set, names[i]) == NULL) {
            fail_msg("there is no %s", names[i]);
        }
    }
    assert_int_equal(set.count, 5 * TRAININGS);
    assert_string_equal(safetensors_text(&set, "lesson"), "09_stage");
    assert_string_equal(safetensors_text(&set, "seed"), "3");
    safetensors_free(&set);
    /* loaded and saved again it is the same file, but for the flags */
    char *copy = strdup(scratch_path("copy.safetensors")), flags[1200];
    snprintf(flags, sizeof flags, "--seed 3 --load @ --save %s", copy);
    stage = play_with(&play, flags, file, said);
    assert_int_equal(stage.status, 0);
    lesson_run_free(&stage);
    assert_true(safetensors_read(copy, &set, &error));
    assert_int_equal(set.count, 5 * TRAININGS);
    safetensors_free(&set);
    free(copy);
    free(file);
}

/* Loads what `saved` with `save` has left, and expects exit code 2 and one line. */
static void expect_refusal(Play saved, const char *save, Play loaded, const char *load,
                           const char *says) {
    char *file = strdup(scratch_path("refused.safetensors")), said[1024];
    Stage stage = play_with(&saved, save, file, said);
    assert_int_equal(stage.status, 0);
    lesson_run_free(&stage);
    stage = play_with(&loaded, load, file, said);
    const char *newline = strchr(said, '\n');
    if (stage.status != 2 || strstr(said, says) == NULL || newline == NULL || newline[1] != '\0') {
        fail_msg("exit code %d, and: %s", stage.status, said);
    }
    assert_int_equal(loaded.steps_taken, 0);
    lesson_run_free(&stage);
    free(file);
}

static void test_other_models_are_refused(void **state) {
    (void)state;
    Play two = {.rows = 2, .full = 5}, three = {.rows = 3, .full = 5};
    expect_refusal(two, "--save @", three, "--load @",
                   "9.1/bowl/bowl.w is (2, 2) in the file and (3, 2) in the model");
    expect_refusal(two, "--save @", three, "--seed 2 --load @",
                   "this run has --seed 2, and the weights were saved with --seed 1");
}

static Vocab *words(const char *text) {
    TokenCounts *counts = token_counts_new();
    token_counts_add_text(counts, VOCAB_WORDS, text);
    Vocab *vocab = vocab_new(VOCAB_WORDS, counts, 0, 1);
    token_counts_free(counts);
    return vocab;
}

static void test_other_words_are_refused(void **state) {
    (void)state;
    Vocab *cat = words("le chat"), *dog = words("le chien");
    Play play = {.rows = 2, .full = 5, .vocab = cat}, other = {.rows = 2, .full = 5, .vocab = dog};
    expect_refusal(play, "--save @", other, "--load @",
                   "9.1/bowl:source: another vocabulary than that of this run's data");
    vocab_free(cat);
    vocab_free(dog);
}

/* A nan in the file is told, not shown as a result... */
static void test_nan_is_refused(void **state) {
    (void)state;
    static const float nan = NAN;
    char *file = strdup(scratch_path("nan.safetensors")), said[1024];
    Play play = {.rows = 2, .full = 5};
    Stage stage = play_with(&play, "--save @", file, said);
    lesson_run_free(&stage);
    SafeTensors set;
    Error error;
    assert_true(safetensors_read(file, &set, &error));
    long place = safetensors_find(&set, "9.1/bowl (2)/bowl.w")->bytes - (unsigned char *)set.file;
    safetensors_free(&set);
    FILE *bytes = fopen(file, "r+b");
    assert_non_null(bytes);
    assert_int_equal(fseek(bytes, place, SEEK_SET), 0);
    assert_int_equal(fwrite(&nan, sizeof nan, 1, bytes), 1);
    assert_int_equal(fclose(bytes), 0);
    stage = play_with(&play, "--load @", file, said);
    assert_int_equal(stage.status, 2);
    assert_non_null(strstr(said, "9.1/bowl (2) has weights that are nan or infinite"));
    assert_string_equal(strchr(said, '\n'), "\n");
    lesson_run_free(&stage);
    free(file);
}

/* ... but for a training that ran away before it was saved, and is to be seen again as it was. */
static void test_a_training_that_ran_away_is_loaded(void **state) {
    (void)state;
    char *file = strdup(scratch_path("away.safetensors")), said[1024];
    Play saved = {.rows = 2, .full = 5, .runs_away = true}, loaded = {.rows = 2, .full = 5};
    Stage stage = play_with(&saved, "--save @", file, said);
    lesson_run_free(&stage);
    stage = play_with(&loaded, "--load @", file, said);
    assert_int_equal(stage.status, 0);
    assert_string_equal(said, "");
    assert_true(isnan(saved.w[0][0]));
    assert_memory_equal(saved.w, loaded.w, sizeof saved.w);
    lesson_run_free(&stage);
    free(file);
}

/* Files that cannot be loaded, or written, are refused before anything else happens. */
static void test_bad_files(void **state) {
    (void)state;
    char *file = strdup(scratch_path("bad.safetensors")), said[1024];
    static const char other[] = "{\"__metadata__\":{\"lesson\":\"02_bahdanau\"}}";
    static const char *const cases[][2] = {
        {"--load @x", "there is no such file"},
        {"--save @.txt", "the name must end in .safetensors"},
        {"--save x@", "its folder does not exist"},
        {"--load @", "saved by lesson 02_bahdanau, and this is 09_stage"},
    };
    Error error;
    char bytes[8 + sizeof other] = {(char)(sizeof other - 1)};
    memcpy(bytes + 8, other, sizeof other - 1);
    assert_true(file_write(file, bytes, 8 + sizeof other - 1, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Play play = {.rows = 2, .full = 5};
        Stage stage = play_with(&play, cases[i][0], file, said);
        if (stage.status != 2 || strstr(said, cases[i][1]) == NULL) {
            fail_msg("%s: exit code %d, and: %s", cases[i][0], stage.status, said);
        }
        assert_int_equal(play.steps_taken, 0);
        char *names = lesson_file_names(&stage);
        assert_string_equal(names, "");
        free(names);
        lesson_run_free(&stage);
    }
    free(file);
}

/* Claims that need the training are made for the training they were bound for. */
static void test_claims_of_other_trainings_are_not_made(void **state) {
    (void)state;
    char *file = strdup(scratch_path("claims.safetensors")), said[1024];
    static const char *const cases[][3] = {
        {"--save @", "--load @", "holds"},
        {"--seed 2 --save @", "--load @", "not_made"},
        {"--seed 2 --save @", "--seed 2 --load @", "holds"},
        {"--steps 3 --save @", "--load @", "not_made"},
        {"--quick --save @", "--load @", "not_made"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Play play = {.rows = 2, .full = 5}, again = play;
        Stage stage = play_with(&play, cases[i][0], file, said);
        lesson_run_free(&stage);
        stage = play_with(&again, cases[i][1], file, said);
        assert_int_equal(stage.status, 0);
        assert_string_equal(lesson_claim(&stage, "trained"), cases[i][2]);
        lesson_run_free(&stage);
        assert_memory_equal(play.w, again.w, sizeof play.w);
    }
    free(file);
}

static void test_nothing_to_save(void **state) {
    (void)state;
    char *file = strdup(scratch_path("nothing.safetensors")), said[1024];
    Play play = {.nothing = true};
    Stage stage = play_with(&play, "--save @", file, said);
    assert_int_equal(stage.status, 2);
    assert_non_null(strstr(said, "none of these steps trains a model"));
    assert_int_not_equal(access(file, F_OK), 0);
    lesson_run_free(&stage);
    free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_loaded_run_is_the_saved_one),
        cmocka_unit_test(test_what_is_in_the_file),
        cmocka_unit_test(test_other_models_are_refused),
        cmocka_unit_test(test_other_words_are_refused),
        cmocka_unit_test(test_nan_is_refused),
        cmocka_unit_test(test_a_training_that_ran_away_is_loaded),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_claims_of_other_trainings_are_not_made),
        cmocka_unit_test(test_nothing_to_save),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
