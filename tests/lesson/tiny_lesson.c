#include "lesson/tiny_lesson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"
#include "core/ops.h"
#include "lesson/lesson.h"

typedef struct Tiny {
    int units;
    float rate;
    int score;
    const char *data;
    bool loud;
    int delay; /* milliseconds for each training step */
    bool deaf, die;

    float *weight; /* (units), what step 1.2 trains */
    float first_loss, last_loss;
} Tiny;

static const char *const words[] = {"le", "café", "noir", "</s>"};

static void show_numbers(Run *run, void *context) {
    Tiny *tiny = context;
    float x[6] = {1, -0.5f, 0.25f, 0, 2, -1};
    run_say(run, "Three numbers for each of two words: l’élève and “œuvre”.");
    run_matrix(run, "x", x, 2, 3);
    run_table(run, "word\tlength\tshare");
    run_table_row(run, "%s\t%d\t%.1f %%", "café", 4, 41.2);
    run_table_row(run, "%s\t%d\t%.1f %%", "œuvre", 5, 8.0);
    run_table_end(run);
    if (tiny->loud) {
        run_print(run, "units %d, rate %g, score %d\n", tiny->units, (double)tiny->rate,
                  tiny->score);
    }
    float sum = run_broken(run, "wrong_sum") ? 1.5f : 1.0f;
    claim_checked(run, "sum", "the weights of a row add up to 100 %", (double)sum, "==", 1);
    claim_checked(run, "not_a_number", "this is a number",
                  run_broken(run, "nan_value") ? (double)NAN : 0.5, "<", 1e9);
}

static void check_finite(Run *run, const Tiny *tiny) {
    Tape tape = tape_new();
    tape.check_finite = run->flags.check_finite;
    float huge[1] = {tiny->die ? INFINITY : 1};
    Tensor *x = tape_constant(&tape, "huge", huge, SHAPE(1));
    op_scale(&tape, x, 2);
    tape_free(&tape);
}

/* "Trains" by gradient descent on |w - target|^2 with a random target. */
static void train(Run *run, void *context) {
    Tiny *tiny = context;
    int steps = run_steps(run, 40, 4);
    Rng rng = run_rng(run, "1.2");
    free(tiny->weight);
    tiny->weight = calloc((size_t)tiny->units, sizeof *tiny->weight);
    float target = 1 + rng_uniform(&rng);
    check_finite(run, tiny);
    run_say(run, "Training begins.");
    Progress progress = run_progress(run, "training", steps);
    for (int step = 1; step <= steps && (tiny->deaf || !run_stopped(run)); step++) {
        float loss = 0;
        for (int i = 0; i < tiny->units; i++) {
            float error = tiny->weight[i] - target;
            loss += error * error / (float)tiny->units;
            tiny->weight[i] -= tiny->rate * 2 * error;
        }
        tiny->first_loss = step == 1 ? loss : tiny->first_loss;
        tiny->last_loss = loss;
        usleep((useconds_t)tiny->delay * 1000);
        progress_update(&progress, step, (double)loss, "near", exp(-(double)loss));
    }
    progress_end(&progress);
    run_print(run, "the last loss is %.2f\n", (double)tiny->last_loss);
    char text[64];
    snprintf(text, sizeof text, "%.9g\n", (double)tiny->last_loss);
    run_write(run, "loss.txt", text);
    claim_trained(run, "trained", "the loss falls below 5 % of what it was",
                  (double)(tiny->last_loss / tiny->first_loss), "<", 0.05);
    claim_trained(run, "hopeless", "the weights become negative",
                  run_broken(run, "upside_down") ? (double)target : -(double)target, "<", 0);
}

static void look(Run *run, void *context) {
    Tiny *tiny = context;
    float map[16];
    for (int i = 0; i < 16; i++) {
        map[i] = i % 5 == 0 ? 0.7f : 0.1f;
    }
    map[0] = tiny->weight[0] / 10; /* so that the picture depends on the training */
    run_heatmap(run, "attention", map, 4, 4, words, words);
    Heatmap picture = {.title = "attention",
                       .values = map,
                       .rows = 4,
                       .cols = 4,
                       .row_labels = words,
                       .col_labels = words,
                       .row_axis = "query",
                       .col_axis = "key"};
    run_heatmap_png(run, "attention.png", &picture, 1, 1, NULL);
    run_attention(run, "attention", 0, 1, map, 4, 4, words, words);
    double x[3] = {1, 2, 3}, y[3] = {3, 2, (double)tiny->weight[0]};
    PlotSeries series = {.label = "weight", .x = x, .y = y, .n = 3};
    Plot plot = {.name = "curve",
                 .title = "A curve",
                 .x_label = "x",
                 .y_label = "y",
                 .series = &series,
                 .count = 1};
    run_plot(run, &plot);
    run_write(run, "words.txt", "le café noir\n");
    claim_trained(run, "weight", "the weight ends between 1 and 2", (double)tiny->weight[0], "<",
                  2);
}

static void time_it(Run *run, void *context) {
    (void)context;
    double started = progress_clock();
    claim_timing(run, "fast", "measuring nothing takes a negative time", progress_clock() - started,
                 "<", -1);
    float cube[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    Tensor tensor = {.data = cube, .ndim = 3, .dim = {2, 2, 2, 1}, .name = "cube"};
    run_tensor(run, "cube", &tensor);
    claim_checked(run, "count", "operations are counted exactly", 123456789012.0, "<=", 2e11);
}

static bool check_flags(Run *run, void *context, Error *error) {
    (void)run;
    Tiny *tiny = context;
    if (tiny->units % 2 != 0) {
        return error_set(error, "--units %d: must be even", tiny->units);
    }
    char *bytes;
    size_t size;
    if (tiny->data && !file_read(tiny->data, 1 << 20, &bytes, &size, error)) {
        return false;
    }
    if (tiny->data) {
        free(bytes);
    }
    return true;
}

static const Step all_steps[] = {
    {"1.1", "Numbers", show_numbers, NULL},
    {"1.2", "Training", train, NULL},
    {"1.3", "Looking", look, "1.2"},
    {"1.4", "Timing", time_it, NULL},
};

static const Mistake all_mistakes[] = {
    {"wrong_sum", "the weights of a row no longer add up"},
    {"nan_value", "a claim is about no number at all"},
    {"upside_down", "a claim of the full training turns red"},
};

static int run_with(const Step *steps, int step_count, const Option *more, int argc, char **argv) {
    static const char *const scores[] = {"dot", "general", "concat", NULL};
    Tiny tiny = {.units = 4, .rate = 0.1f, .score = 1};
    Option options[] = {
        OPTION_INT("units", 'u', &tiny.units, 2, 64, "size of the model, an even number"),
        OPTION_FLOAT("rate", 0, &tiny.rate, 1e-6, 1, "learning rate"),
        OPTION_CHOICE("score", 0, &tiny.score, scores, "how query and key are compared"),
        OPTION_FILE("data", 'd', &tiny.data, "FILE", "sentence pairs, one pair a line"),
        OPTION_FLAG("loud", 0, &tiny.loud, "say what the flags were"),
        OPTION_INT("delay", 0, &tiny.delay, 0, 10000, "milliseconds for each training step"),
        OPTION_FLAG("deaf", 0, &tiny.deaf, "a training that does not look at Ctrl-C"),
        OPTION_FLAG("die", 0, &tiny.die, "make an infinity"),
        OPTION_FLAG("spare", 0, &tiny.loud, "another name for --loud"),
    };
    if (more) {
        options[COUNT_OF(options) - 1] = *more;
    }
    const Lesson lesson = {.number = "01",
                           .name = "tiny",
                           .title = "The smallest lesson",
                           .question = "What does a frame have to hold?",
                           .duration = "about 1 s",
                           .steps = steps,
                           .step_count = step_count,
                           .mistakes = all_mistakes,
                           .mistake_count = COUNT_OF(all_mistakes),
                           .options = options,
                           .option_count = COUNT_OF(options),
                           .judged_with = "units rate",
                           .examples = "--score dot --only 1.3",
                           .context = &tiny,
                           .validate = check_flags};
    int code = walkthrough_run(&lesson, argc, argv);
    free(tiny.weight);
    return code;
}

int tiny_lesson_main(int argc, char **argv) {
    return run_with(all_steps, COUNT_OF(all_steps), NULL, argc, argv);
}

/* ---- lessons that are wrong ---- */

static void claim_twice(Run *run, void *context) {
    (void)context;
    claim_checked(run, "same", "once", 0, "<", 1);
    claim_checked(run, "same", "twice", 0, "<", 1);
}

static void break_unlisted(Run *run, void *context) {
    (void)context;
    run_broken(run, "unheard_of");
}

/* An error that several threads meet at once, behind a map that has been recorded. */
static void fail_in_threads(Run *run, void *context) {
    look(run, context);
#ifdef _OPENMP
#pragma omp parallel num_threads(4)
#endif
    check_fail("nobody can do this");
}

int tiny_lesson_wrong(const char *what) {
    char *argv[] = {"tiny", NULL};
    bool spare = false;
    Step steps[] = {{"1.1", "One", show_numbers, NULL}, {"1.2", "Two", train, NULL}};
    Option letter = OPTION_FLAG("odd", 'q', &spare, "a letter that --quick has");
    if (strcmp(what, "needs") == 0) {
        steps[1].needs = "1.1 1.3";
    } else if (strcmp(what, "twice") == 0) {
        steps[1].number = "1.1";
    } else if (strcmp(what, "claim") == 0) {
        steps[1].run = claim_twice;
    } else if (strcmp(what, "mistake") == 0) {
        steps[1].run = break_unlisted;
    } else if (strcmp(what, "threads") == 0) {
        steps[0].run = train;
        steps[1].run = fail_in_threads;
    }
    return run_with(steps, 2, strcmp(what, "letter") == 0 ? &letter : NULL, 1, argv);
}
