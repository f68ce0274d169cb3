/* For the teacher: --notes of lesson 01. */
#ifndef NOTES_01_RNN_H
#define NOTES_01_RNN_H

#include "lesson/walkthrough.h"

static const Note notes[] = {
    {"1.1",
     "Ask: the input speaks once and is then silent; how much of it is left three steps later, and "
     "what would W have to be for nothing to be lost? The usual answer is that the state stores "
     "what it has read; point at the lengths .89, .47, .28, and at the gradient, which shrinks on "
     "the way back as well. It runs at once: do one line of the arithmetic on the board."},
    {"1.2",
     "Ask what travels back from step to step, and what stays behind at each of them. Many say "
     "that each step has a gradient of W of its own; there is one W, so all steps add to the same "
     "one. It runs at once; that both columns agree is the reason to trust the tape from here on."},
    {"1.3",
     "Before the first table, ask what rho = 1 does to the gradient, and rho = 1.5. Nearly all say "
     "\"preserves\" and \"explodes\", which is true without input; with inputs of size 1 both "
     "vanish, because tanh is no longer steep there. Then ask what gates change: at bias 0 next to "
     "nothing, the bias does the work. It takes a second."},
    {"1.4",
     "Ask who will still name a symbol after 50 others: RNN, LSTM, GRU, or the GRU with attention? "
     "The usual answer is that the LSTM does and the RNN does not; with forget bias 1 it guesses, "
     "too, and with bias 5 it does not. It takes about 15 seconds. Let them bet while it trains."},
    {"1.5",
     "Ask which is less work for 1024 vectors, the RNN or attention, and which of them waits "
     "longer. The usual answer is that attention is less work: it takes 18 times the "
     "multiplications, but 5 operations in line instead of 3072. Then ask what an exploding "
     "gradient looks like: most expect nan, and see a loss that merely stays high. It takes a "
     "second."},
};

#endif
