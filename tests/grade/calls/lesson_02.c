/* What lesson 02 writes out. */
#include "grade/calls/call.h"

Tensor *bahdanau_score(Tape *tape, Tensor *v, Tensor *q, Tensor *keys, bool with_tanh);
Tensor *bahdanau_context(Tape *tape, Tensor *weights, Tensor *h);

void check_02_score(Call *c);
void check_02_score(Call *c) {
    Tensor *v = call_tensor(c, "v"), *q = call_tensor(c, "q"), *keys = call_tensor(c, "keys");
    answer_tensor(c, "e", bahdanau_score(call_tape(c), v, q, keys, true));
}

void check_02_context(Call *c);
void check_02_context(Call *c) {
    answer_tensor(c, "c", bahdanau_context(call_tape(c), call_tensor(c, "a"), call_tensor(c, "h")));
}
