/* Predicting the next character of a text, and how well that goes at each place of a window.
 *
 *     CharTask task = char_task_new(&model, &text, 32, 16, rng);     model: V tokens
 *     char_learn(run, &task, "RoPE", 300, 3e-3f);
 *     double nats[128];
 *     char_by_place(&task, 128, 600, nats);
 *     char_task_free(&task);
 */
#ifndef LESSON_CHAR_TASK_H
#define LESSON_CHAR_TASK_H

#include "data/chars.h"
#include "lesson/experiments/by_place.h"
#include "lesson/experiments/position_model.h"
#include "lesson/fit.h"

typedef struct CharTask {
    PositionModel *model;
    const CharText *text;
    int L, B;            /* window and batch of the training */
    Rng rng;             /* draws the windows */
    int *input, *target; /* (B, L) */
} CharTask;

/* The share of a text that is held out here: a fifth, because the built-in one is short. */
#define CHAR_TASK_HELD_OUT 0.2

/* The text of a file, or the built-in story for NULL; see chars_load(). */
bool char_task_text(CharText *text, const char *file, int L, Error *error);

CharTask char_task_new(PositionModel *model, const CharText *text, int L, int B, Rng rng);
void char_task_free(CharTask *task);

/* For Fit: mean cross-entropy (1) of fresh windows of the training part, nats per character. */
Tensor *char_loss(void *task, Tape *tape);

/* For Fit: the same on the held-out part, over 64 windows of the same length. */
double char_nats(void *task, Tape *tape);

/* Trains: Adam at that rate, gradients clipped to 1. */
FitCurve char_learn(Run *run, CharTask *task, const char *label, int steps, float rate);

/* Mean cross-entropy at each place t = 0 .. L - 1, in nats: over at most `windows` windows of
 * length L, spread evenly over the held-out part (they overlap when it is short). nats (L). */
void char_by_place(const CharTask *task, int L, int windows, double *nats);

/* All arms on the same windows of the text, then on longer ones. */
typedef struct CharPlan {
    const CharText *text;
    int L, B, steps;
    float rate;
    int windows; /* of the test, each of nats->n characters */
    PositionPlan model;
} CharPlan;

/* Fills in `nats` (a row for each arm; NaN where a stopped run did not get to), shows it as a table
 * and as text_by_place.png. V is that of the text. */
void char_compare(Run *run, const PositionArms *arms, CharPlan plan, ByPlace *nats);

#endif
