#include "nn/decode.h"

#include "core/check.h"
#include "core/tensor.h"

#include <stdlib.h>

int decode_greedy(DecodeStep step, void *decoder, int B, int V, int start, int end, int max_steps,
                  int *tokens, int *length) {
    CHECK(B >= 1 && V >= 1 && max_steps >= 1, "decode_greedy: B %d, V %d and max_steps %d", B, V,
          max_steps);
    int *previous = check_alloc((size_t)B * sizeof *previous);
    int running = B, t = 0;
    for (int b = 0; b < B; b++) {
        previous[b] = start;
        length[b] = max_steps;
    }
    for (; t < max_steps && running > 0; t++) {
        const float *scores = step(decoder, previous, B);
        for (int b = 0; b < B; b++) {
            bool ended = length[b] < t; /* an earlier step ended it */
            int token = ended ? end : tensor_argmax(scores + (long)b * V, V);
            if (!ended && token == end) {
                length[b] = t;
                running--;
            }
            previous[b] = tokens[(long)t * B + b] = token;
        }
    }
    free(previous);
    return t;
}
