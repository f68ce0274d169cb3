#include "lesson/experiments/masking.h"

#include "core/measure.h"

#include <math.h>

Mask mask_pattern(Arena *arena, Pattern pattern, int L) {
    bool *may = arena_alloc(arena, (size_t)(L * L) * sizeof *may);
    for (int i = 0; i < L; i++) {
        for (int j = 0; j < L; j++) {
            bool sees = true;
            if (pattern != SEES_ALL) {
                /* Exercise 4.2 */
                sees = (pattern == SEES_PAST && j <= i) || (pattern == SEES_FUTURE && j >= i) ||
                       (pattern == SEES_BEFORE && j < i);
                /* End of exercise 4.2 */
            }
            may[i * L + j] = sees;
        }
    }
    return (Mask){1, L, L, may};
}

/* (L, L): `hidden` where one may not look, `seen` where one may. */
static Tensor *mask_values(Tape *tape, const Mask *mask, float hidden, float seen) {
    int L = mask->keys;
    Tensor *values = tape_constant(tape, "mask", NULL, SHAPE(L, L));
    for (int i = 0; i < L; i++) {
        const bool *may_look = mask_row(mask, 0, i);
        for (int j = 0; j < L; j++) {
            values->data[i * L + j] = may_look[j] ? seen : hidden;
        }
    }
    return values;
}

/* The classic slip of softmax(scores, axis 1) instead of axis 2. */
static Tensor *softmax_down(Tape *tape, Tensor *scores, const Mask *mask) {
    Mask down;
    if (mask != NULL) {
        int L = mask->keys;
        bool *turned = arena_alloc(&tape->arena, (size_t)(L * L) * sizeof *turned);
        for (int i = 0; i < L * L; i++) {
            turned[i] = mask_row(mask, 0, i % L)[i / L];
        }
        down = (Mask){1, L, L, turned};
    }
    Tensor *columns = op_transpose(tape, scores);
    return op_transpose(tape, op_masked_softmax(tape, columns, mask != NULL ? &down : NULL));
}

Tensor *masked_weights(Tape *tape, Tensor *scores, const Mask *mask, Masking how) {
    if (how == MASK_AXIS) {
        return softmax_down(tape, scores, mask);
    }
    switch (mask != NULL ? how : MASK_OUT) {
    case MASK_INFINITY:
        return op_softmax(tape, op_add(tape, scores, mask_values(tape, mask, -INFINITY, 0.0f)));
    case MASK_BILLION:
        return op_softmax(tape, op_add(tape, scores, mask_values(tape, mask, -1e9f, 0.0f)));
    case MASK_LATE:
        return op_mul(tape, op_softmax(tape, scores), mask_values(tape, mask, 0.0f, 1.0f));
    default:
        return op_masked_softmax(tape, scores, mask);
    }
}

Masking masking_asked(const Run *run) {
    return run_broken(run, "empty_row_inf")        ? MASK_INFINITY
           : run_broken(run, "empty_row_1e9")      ? MASK_BILLION
           : run_broken(run, "mask_after_softmax") ? MASK_LATE
           : run_broken(run, "softmax_axis")       ? MASK_AXIS
                                                   : MASK_OUT;
}

Pattern causal_asked(const Run *run) {
    return run_broken(run, "no_mask")         ? SEES_ALL
           : run_broken(run, "reversed_mask") ? SEES_FUTURE
                                              : SEES_PAST;
}

double rows_off_from_one(const float *weights, int L) {
    double off = 0.0;
    for (int i = 0; i < L; i++) {
        double sum = 0.0;
        for (int j = 0; j < L; j++) {
            sum += (double)weights[i * L + j];
        }
        off = isnan(sum) ? NAN : fmax(off, fabs(sum - 1.0));
        if (isnan(off)) {
            break;
        }
    }
    return off;
}

double empty_row(Masking how, float row[3]) {
    static const float three_scores[] = {1, 2, 0, 0, 1, 3, 2, 1, 0}, values[] = {1, 2, 3};
    static const float zero[9];
    Tape tape = tape_new();
    Tensor *scores = tape_variable(&tape, "scores", three_scores, SHAPE(1, 3, 3));
    Tensor *v = tape_variable(&tape, "v", values, SHAPE(1, 3, 1));
    Mask mask = mask_pattern(&tape.arena, SEES_BEFORE, 3);
    Tensor *weights = masked_weights(&tape, scores, &mask, how);
    Tensor *y = op_matmul(&tape, weights, v);
    y->grad[0] = 1.0f;
    tape_backward_from(&tape, y);
    double most = largest_difference(y->data, zero, 1);
    most = fmax(most, largest_difference(v->grad, zero, 3));
    most = fmax(most, largest_difference(scores->grad, zero, 9));
    for (int j = 0; j < 3; j++) {
        row[j] = weights->data[j];
    }
    tape_free(&tape);
    return most;
}

void empty_rows_show(Run *run, Masking ours) {
    static const char *const names[] = {"stay out of the softmax", "-infinity is added",
                                        "-1e9 is added"};
    const Masking ways[] = {ours, MASK_INFINITY, MASK_BILLION};
    float row[3];
    double most[3];
    int numbers = 0;
    run_say(run, "\nAnd if somebody may look at nothing? That happens with padding in front, or "
                 "when each may look only at what came before it: then the first has nobody. Three "
                 "words, and the weights of the first:");
    run_table(run, "hidden scores\tits weights\t\t");
    for (int i = 0; i < 3; i++) {
        most[i] = empty_row(ways[i], row);
        run_table_row(run, "%s\t%.3f\t%.3f\t%.3f", names[i], fabs((double)row[0]),
                      fabs((double)row[1]), fabs((double)row[2]));
        for (int j = 0; i == 1 && j < 3; j++) {
            numbers += isfinite(row[j]);
        }
    }
    run_table_end(run);
    run_say(run, "Who has nothing to look at hears nothing: zero, and no gradient. The sum of no "
                 "exponentials is 0, and 0 / 0 is nan. And where all scores are equally low, "
                 "softmax, which sees differences only, hides none: the word looks at everything, "
                 "at itself and at the future, too.");
    claim_checked(run, "empty_zero", "empty row: largest output or gradient", most[0], "==", 0);
    claim_checked(run, "empty_inf", "empty row, -infinity: weights that are numbers", numbers,
                  "==", 0);
    claim_checked(run, "empty_1e9", "empty row, -1e9: largest output or gradient", most[2], ">", 1);
}

void mask_effect_show(Run *run, const char *file, const float *all, const float *masked, int L,
                      const char *const *words) {
    Heatmap map = {.title = "everybody sees all",
                   .values = all,
                   .rows = L,
                   .cols = L,
                   .row_labels = words,
                   .col_labels = words,
                   .row_axis = "query: word that looks",
                   .col_axis = "key: word looked at",
                   .max = 1.0f,
                   .show_values = true};
    Heatmap maps[] = {map, map};
    maps[1].title = "with the mask";
    maps[1].values = masked;
    char picture[64], name[96];
    picture_name(picture, sizeof picture, file);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s: %s", picture, maps[i].title);
        run_attention(run, name, 0, 0, maps[i].values, L, L, words, words);
    }
    run_heatmap_png(run, file, maps, 2, 2, "Words look at each other");
}

void mask_patterns_show(Run *run, int L) {
    static const char *const names[PATTERNS] = {"no mask", "causal: the past",
                                                "reversed: the future", "only what came before"};
    enum { MOST = 16 };
    static float values[PATTERNS][MOST * MOST];
    Heatmap maps[PATTERNS];
    Arena arena = arena_new();
    L = L < MOST ? L : MOST;
    for (int i = 0; i < PATTERNS; i++) {
        Mask mask = mask_pattern(&arena, (Pattern)i, L);
        for (int j = 0; j < L * L; j++) {
            values[i][j] = mask.may_look[j] ? 1.0f : 0.0f;
        }
        maps[i] = (Heatmap){.title = names[i],
                            .values = values[i],
                            .rows = L,
                            .cols = L,
                            .row_axis = "query: who looks",
                            .col_axis = "key: who is looked at",
                            .max = 1.0f};
    }
    run_heatmap_png(run, "masks.png", maps, PATTERNS, 2, "Masks: 1 = may look");
    arena_free(&arena);
}
