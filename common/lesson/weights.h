/* --save FILE and --load FILE: the weights of every training of a run, in one safetensors file.
 *
 * A training is known by its step and its label: weight "decoder.w_hh" of "attention" in step 2.2
 * is "2.2/attention/decoder.w_hh". What else came of a training and cannot be measured again on the
 * trained model, such as its learning curve, stands beside it as "2.2/attention:curve.loss", and
 * the words that the rows of its embeddings stand for as "2.2/attention:source". (A slash or colon
 * in a label becomes a comma.) With --load nothing is trained: each model gets its weights, and all
 * that follows a training is done with them.
 *
 *     const Training training = {.label = "RNN", .params = &m.params, .steps = steps};
 *     double loss = NAN;
 *     if (!training_loaded(run, &training)) {
 *         loss = ...                              train
 *         training_keep(run, &training);
 *     }
 *     training_numbers(run, training.label, "loss", &loss, 1, 1);
 */
#ifndef LESSON_WEIGHTS_H
#define LESSON_WEIGHTS_H

#include "core/params.h"
#include "data/vocab.h"
#include "lesson/run.h"

/* ---- for whoever trains a model ---- */

typedef struct Training {
    const char *label; /* what it is called */
    Params *params;
    int steps;                    /* of the plan: fewer in the file make the training a short one */
    const Vocab *source, *target; /* what its tokens stand for; NULL: nothing that could differ */
} Training;

/* Under --load: puts the weights in place and says true; the training is to be left out. When the
 * file has none for it, or others (names, shapes, vocabulary), or a nan that the training did not
 * end with, the run is told so and stops: the answer is true as well. */
bool training_loaded(Run *run, const Training *training);

/* Under --save: notes the weights as they are now. Not after Ctrl-C: half a training is none. */
void training_keep(Run *run, const Training *training);

/* Numbers that were measured during the training of that label: noted under --save, and under
 * --load (up to `room` of them) put back. Returns how many there are now. */
int training_numbers(Run *run, const char *label, const char *what, double *values, int n,
                     int room);

/* ---- for the walkthrough ---- */

/* Before anything is printed: reads the file to load, and looks whether the one to save can be
 * written. False with one line that says what is wrong. */
bool weights_begin(Run *run, Error *error);

/* In how far the loaded weights are of another run than this one: "--seed 2, and were saved with
 * --seed 1"; NULL when they are not, or when nothing is loaded. Then no claim is made that a
 * training is needed for. */
const char *weights_other(const Run *run);

/* After each step: writes what it has trained to the file. */
void weights_write(Run *run);

/* At the end: a run that was to save and has trained nothing says so. */
void weights_end(Run *run);
void weights_free(Run *run);

#endif
