#include "data/recall.h"

#include "core/check.h"

void recall_draw(Rng *rng, int gap, int B, int *ids, int *answer) {
    CHECK(gap >= 0 && B >= 1, "recall_draw: a gap of %d, %d sequences", gap, B);
    for (int b = 0; b < B; b++) {
        ids[b] = answer[b] = (int)rng_below(rng, RECALL_SYMBOLS);
    }
    for (int i = B; i < (gap + 1) * B; i++) {
        ids[i] = RECALL_SYMBOLS + (int)rng_below(rng, RECALL_SYMBOLS);
    }
}
