/* What is a head good for? Take it away and see. */
#ifndef LESSON_HEAD_REMOVAL_H
#define LESSON_HEAD_REMOVAL_H

#include "nn/multi_head.h"

/* How much does `loss(model)` rise when the output layer no longer reads that head? The columns of
 * out.w that read it are zero meanwhile, and as they were afterwards. `whole`: loss with all of
 * them. */
double head_rise(const MultiHead *layer, int head, double (*loss)(void *model), void *model,
                 double whole);

/* The same for all heads of `count` layers at once. */
double heads_rise(const MultiHead *const *layers, int count, double (*loss)(void *model),
                  void *model, double whole);

/* Kills a head: its value projection becomes zero, its weights and bias. Its map stays as it was.
 */
void head_kill(const MultiHead *layer, int head);

#endif
