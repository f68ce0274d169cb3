/* A sublayer of a Transformer in numbers, for a pocket calculator: one sentence, two heads, pre-LN.
 */
#ifndef LESSON_LAYER_BY_HAND_H
#define LESSON_LAYER_BY_HAND_H

#include "lesson/run.h"
#include "nn/transformer_layer.h"

/* Attention: prints norm(x), the map of each head, what was found, y, and x + y, which it returns.
 * x (1, L, d), a label for each of its L rows. Self-attention looks at x itself, causal or not;
 * cross-attention at keys and values (1, S, d) made by multi_head_memory(), with a label for each.
 */
Tensor *layer_print_self(Run *run, Tape *tape, const MultiHead *self, const LayerNorm *norm,
                         Tensor *x, bool causal, const char *const *rows);
Tensor *layer_print_cross(Run *run, Tape *tape, const MultiHead *cross, const LayerNorm *norm,
                          Tensor *x, CrossMemory memory, const char *const *rows,
                          const char *const *keys);

/* The feed-forward network (relu), step by step, and x + ff(norm(x)), which it returns. */
Tensor *layer_print_thinking(Run *run, Tape *tape, const FeedForward *ff, const LayerNorm *norm,
                             Tensor *x, const char *const *rows);

#endif
