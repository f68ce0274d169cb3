/* What lesson 05 writes out. */
#include "grade/calls/call.h"

Tensor *split_heads(Tape *tape, Tensor *x, int H, bool transposed);
Tensor *merge_heads(Tape *tape, Tensor *heads, bool transposed);

void check_05_split(Call *c);
void check_05_split(Call *c) {
    Tensor *x = call_tensor(c, "x");
    answer_tensor(c, "heads", split_heads(call_tape(c), x, call_int(c, "H"), true));
}

void check_05_merge(Call *c);
void check_05_merge(Call *c) {
    answer_tensor(c, "y", merge_heads(call_tape(c), call_tensor(c, "heads"), true));
}
