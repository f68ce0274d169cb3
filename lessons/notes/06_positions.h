/* For the teacher: --notes of lesson 06. */
#ifndef NOTES_06_POSITIONS_H
#define NOTES_06_POSITIONS_H

#include "lesson/walkthrough.h"

static const Note notes[] = {
    {"6.1",
     "Ask why one adds a clock with many hands, and not the number of the place. The usual answer "
     "is \"to keep numbers small\"; the point is that k words on is the same turn wherever one "
     "stands. Then ask which of the four change their outputs when all words move on by 100: only "
     "the two that are added to the words. It runs at once."},
    {"6.2",
     "Ask whether a model without positions can learn that A comes before B. Most say slowly, or "
     "badly; it cannot at all, because both sequences are the same to it. Ask why a causal mask is "
     "enough, and why ALiBi looking both ways is not. It takes a second."},
    {"6.3",
     "Ask who still finds the letter two places back beyond the 16 letters of the training. The "
     "usual bet is the sinusoid, as the paper hoped: it falls from 100 to 25 %, and RoPE holds to "
     "twice the length and then fails. ALiBi never quite could, and loses little. It takes a few "
     "seconds."},
    {"6.4",
     "Ask who reads a text best at place 100 after training on 32. The last step makes most say "
     "RoPE; it is the best within the length, and far out worse than a model without positions, "
     "while ALiBi goes on as if nothing had happened. It takes about 5 seconds. With --text FILE "
     "it reads a text of "
     "the "
     "class's own."},
};

#endif
