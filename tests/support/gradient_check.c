#include "support/gradient_check.h"

#include <stdlib.h>

enum { SAMPLES = 24 }; /* numbers looked at of each input: all of a small one, else a choice */

static const float start_gradient = 0.25f; /* what the gradients hold before the way back */
static const float step_h = 1.0f / 32.0f;
static const double allowed = 3e-4, allowed_relative = 1e-3;

typedef struct Problem {
    GradientGraph graph;
    const void *context;
    const GradientInput *inputs;
    int count;
    float *values[GRADIENT_MAX_INPUTS];
    uint64_t seed;
    int constant; /* index of the input that is a constant this time, or -1 */
} Problem;

static Tensor *problem_run(const Problem *p, Tape *tape, Tensor **in) {
    for (int i = 0; i < p->count; i++) {
        const GradientInput *input = &p->inputs[i];
        in[i] = i == p->constant || !tape->recording
                    ? tape_constant(tape, input->name, p->values[i], input->ndim, input->dim)
                    : tape_variable(tape, input->name, p->values[i], input->ndim, input->dim);
        for (size_t j = 0; in[i]->grad != NULL && j < tensor_size(in[i]); j++) {
            in[i]->grad[j] = start_gradient;
        }
    }
    return p->graph(tape, in, p->context);
}

static size_t input_size(const GradientInput *input) {
    return tensor_check_shape(input->name, input->ndim, input->dim);
}

/* L, from a forward pass alone. */
static double problem_loss(const Problem *p, Tape *tape) {
    Tensor *in[GRADIENT_MAX_INPUTS];
    tape_reset(tape);
    tape->recording = false;
    Tensor *y = problem_run(p, tape, in);
    tape->recording = true;
    Rng rng = rng_seeded(p->seed, 77); /* the weights that backward_random() takes */
    double loss = 0.0;
    for (size_t i = 0; i < tensor_size(y); i++) {
        loss += (double)rng_range(&rng, -1.0f, 1.0f) * (double)y->data[i];
    }
    return loss;
}

static double numeric_gradient(const Problem *p, Tape *tape, int input, size_t place) {
    static const float move[] = {-2.0f, -1.0f, 1.0f, 2.0f};
    static const double weight[] = {1.0, -8.0, 8.0, -1.0};
    float *x = &p->values[input][place], middle = *x;
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        *x = middle + move[i] * step_h;
        sum += weight[i] * problem_loss(p, tape);
    }
    *x = middle;
    return sum / (12.0 * (double)step_h);
}

/* Runs forward and backward; the gradients, less what they started from, in grads[i]. */
static void tape_gradients(const Problem *p, Tape *tape, float **grads) {
    Tensor *in[GRADIENT_MAX_INPUTS];
    tape_reset(tape);
    backward_random(tape, problem_run(p, tape, in), p->seed);
    for (int i = 0; i < p->count; i++) {
        for (size_t j = 0; in[i]->grad != NULL && j < tensor_size(in[i]); j++) {
            grads[i][j] = in[i]->grad[j] - start_gradient;
        }
    }
}

static void compare_numeric(const Problem *p, Tape *tape, float *const *grads,
                            GradientReport *report) {
    Rng rng = rng_seeded(p->seed, 78);
    for (int i = 0; i < p->count; i++) {
        size_t size = input_size(&p->inputs[i]), samples = size < SAMPLES ? size : SAMPLES;
        for (size_t s = 0; s < samples && report->text[0] == '\0'; s++) {
            size_t j = size <= SAMPLES ? s : rng_below(&rng, (uint32_t)size);
            double numeric = numeric_gradient(p, tape, i, j);
            if (!is_close((double)grads[i][j], numeric, allowed, allowed_relative)) {
                snprintf(report->text, sizeof report->text,
                         "gradient of %s [%zu], seed %d: the tape says %.7g, the numbers %.7g",
                         p->inputs[i].name, j, (int)p->seed, (double)grads[i][j], numeric);
            }
        }
    }
}

/* With input `constant` a constant, the gradients of the others stay what they are. */
static void compare_constant(Problem p, Tape *tape, float *const *grads, float **scratch,
                             int constant, GradientReport *report) {
    p.constant = constant;
    tape_gradients(&p, tape, scratch);
    for (int i = 0; i < p.count; i++) {
        for (size_t j = 0; i != constant && j < input_size(&p.inputs[i]); j++) {
            if (!is_close((double)scratch[i][j], (double)grads[i][j], 1e-5, 1e-5)) {
                snprintf(report->text, sizeof report->text,
                         "gradient of %s [%zu], seed %d: %.7g, but %.7g when %s is a constant",
                         p.inputs[i].name, j, (int)p.seed, (double)grads[i][j],
                         (double)scratch[i][j], p.inputs[constant].name);
                return;
            }
        }
    }
}

static float draw(const GradientInput *input, Rng *rng) {
    float reach = input->reach > 0.0f ? input->reach : 1.5f;
    for (;;) {
        float x = rng_range(rng, -reach, reach);
        if (fabsf(x) >= input->gap) {
            return x;
        }
    }
}

GradientReport gradient_report(GradientGraph graph, const void *context,
                               const GradientInput *inputs, int count, uint64_t seed) {
    GradientReport report = {""};
    Problem p = {graph, context, inputs, count, {NULL}, seed, -1};
    float *grads[GRADIENT_MAX_INPUTS], *scratch[GRADIENT_MAX_INPUTS];
    CHECK(count >= 1 && count <= GRADIENT_MAX_INPUTS, "gradient_check: %d inputs", count);
    Tape tape = tape_new();
    Rng rng = rng_seeded(seed, 76);
    for (int i = 0; i < count; i++) {
        size_t size = input_size(&inputs[i]);
        p.values[i] = check_alloc(size * sizeof(float));
        grads[i] = check_alloc(size * sizeof(float));
        scratch[i] = check_alloc(size * sizeof(float));
        for (size_t j = 0; j < size; j++) {
            p.values[i][j] = draw(&inputs[i], &rng);
        }
    }
    tape_gradients(&p, &tape, grads);
    compare_numeric(&p, &tape, grads, &report);
    for (int i = 0; i < count && count > 1 && report.text[0] == '\0'; i++) {
        compare_constant(p, &tape, grads, scratch, i, &report);
    }
    for (int i = 0; i < count; i++) {
        free(p.values[i]);
        free(grads[i]);
        free(scratch[i]);
    }
    tape_free(&tape);
    return report;
}

void gradient_check_at(const char *text, GradientGraph graph, const void *context,
                       const GradientInput *inputs, int count, const char *file, int line) {
    for (uint64_t seed = 1; seed <= 3; seed++) {
        GradientReport report = gradient_report(graph, context, inputs, count, seed);
        if (report.text[0] != '\0') {
            print_error("%s: %s\n", text, report.text);
            _fail(file, line);
        }
    }
}
