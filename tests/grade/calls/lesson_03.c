/* What lesson 03 writes out. */
#include "grade/calls/call.h"

Tensor *score_dot(Tape *tape, Tensor *s, Tensor *h);
Tensor *score_general(Tape *tape, Tensor *w, Tensor *s, Tensor *h);
Tensor *concat_keys(Tape *tape, Tensor *w, Tensor *h);
Tensor *score_concat(Tape *tape, Tensor *w, Tensor *v, Tensor *s, Tensor *keys);

void check_03_dot(Call *c);
void check_03_dot(Call *c) {
    answer_tensor(c, "scores", score_dot(call_tape(c), call_tensor(c, "s"), call_tensor(c, "h")));
}

void check_03_general(Call *c);
void check_03_general(Call *c) {
    answer_tensor(
        c, "scores",
        score_general(call_tape(c), call_tensor(c, "w"), call_tensor(c, "s"), call_tensor(c, "h")));
}

void check_03_concat(Call *c);
void check_03_concat(Call *c) {
    Tensor *w = call_tensor(c, "w"), *keys = concat_keys(call_tape(c), w, call_tensor(c, "h"));
    answer_tensor(c, "keys", keys);
    answer_tensor(c, "scores",
                  score_concat(call_tape(c), w, call_tensor(c, "v"), call_tensor(c, "s"), keys));
}
