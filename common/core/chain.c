#include "core/chain.h"

#include "core/check.h"

#include <stdint.h>
#include <stdlib.h>

/* The numbers one operation made, and how many operations it took to get there. */
typedef struct Result {
    uintptr_t begin, end;
    int chain;
} Result;

static int by_address(const void *a, const void *b) {
    const Result *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The result that holds this address (a view may begin in its middle), or NULL. */
static Result *result_at(Result *results, int count, uintptr_t address) {
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (results[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && results[low].begin <= address ? &results[low] : NULL;
}

int tape_longest_chain(const Tape *tape) {
    int count = tape->node_count, longest = 0, i = count;
    Result *results = check_alloc((size_t)count * sizeof *results);
    const TapeNode **nodes = check_alloc((size_t)count * sizeof *nodes);
    for (const TapeNode *node = tape->last; node != NULL; node = node->before) {
        nodes[--i] = node;
        uintptr_t begin = (uintptr_t)node->out->data;
        results[i] = (Result){begin, begin + tensor_size(node->out) * sizeof(float), 0};
    }
    qsort(results, (size_t)count, sizeof *results, by_address);
    for (i = 0; i < count; i++) { /* in the order of computation: inputs come first */
        int before = 0;
        for (int k = 0; k < nodes[i]->in_count; k++) {
            const Tensor *in = nodes[i]->in[k];
            Result *from = in != NULL ? result_at(results, count, (uintptr_t)in->data) : NULL;
            before = from != NULL && from->chain > before ? from->chain : before;
        }
        result_at(results, count, (uintptr_t)nodes[i]->out->data)->chain = before + 1;
        longest = before + 1 > longest ? before + 1 : longest;
    }
    free(results);
    free(nodes);
    return longest;
}
