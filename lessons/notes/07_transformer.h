/* For the teacher: --notes of lesson 07. */
#ifndef NOTES_07_TRANSFORMER_H
#define NOTES_07_TRANSFORMER_H

#include "lesson/walkthrough.h"

static const Note notes[] = {
    {"7.1",
     "Ask where most of the base model's 93 million numbers are, and where the number of heads "
     "comes in. The usual answer is \"in the attention\": more than half are the tables of words "
     "and the output layer, and the number of heads appears nowhere. It runs at once; name, at "
     "each "
     "matrix, the lesson it comes from."},
    {"7.2",
     "Ask how 81 % of the letters can be right and 4 % of the dates. Most suspect a fault; led, it "
     "is given the right letters before each one, and alone a single wrong letter of ten spoils "
     "the "
     "date. Then show the training without a mask: 100 % led, nothing alone, and the lower loss. "
     "It takes about 25 seconds."},
    {"7.3",
     "Ask what four beams gain, early in the training and at its end. The usual answer is that a "
     "beam always helps; at the end nothing is left to gain. Ask then which head shows the "
     "translation: two have an error near .05, others up to .37, in a model that has all phrases "
     "right. It takes about 10 seconds."},
    {"7.4",
     "Ask who learns fastest, in sentences and by the clock. Most expect the Transformer to win "
     "both; it needs about half of the sentences, and on one core a step of it takes more than "
     "twice as long. Ask what thousands of cores would change: what waits in line does not grow "
     "with the "
     "sentence. It takes 5 to 10 seconds."},
    {"7.5",
     "With --data FILE the whole Transformer learns a file of pairs of one's own: ask whether it "
     "will do better on it than the model of lesson 02. Most are sure that it will; have them "
     "compare exact match and BLEU on the held-out sentences of both. Without a file it runs at "
     "once and only says how to give one."},
};

#endif
