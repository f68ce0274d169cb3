/* For the teacher: --notes of lesson 02. */
#ifndef NOTES_02_BAHDANAU_H
#define NOTES_02_BAHDANAU_H

#include "lesson/walkthrough.h"

static const Note notes[] = {
    {"2.1",
     "Let the class find the score of \"cat\" with a calculator, 2 tanh 3 + tanh 1.5, and guess "
     "the "
     "largest weight before it is shown. A common mistake is to let the padding take part in the "
     "softmax: ask what the mask at the end is for. It runs at once."},
    {"2.2",
     "Ask from which length on one vector fails, and whether looking back has any limit. The usual "
     "answer is \"none\": at 25 symbols, more than the 20 of its training, it loses its place and "
     "has 39 % right. It takes about 10 seconds. Meanwhile let them draw the map they expect."},
    {"2.3",
     "Ask whether a wrong map means a wrong translation. Most say yes; the encoder that reads one "
     "way has 99 % of the phrases right and an alignment error of .27, because its states have not "
     "read on yet. It takes about 15 seconds. Afterwards open phrases_alignment.png and look for "
     "\"ne .. pas\"."},
    {"2.4",
     "Ask how a model that sees single characters can find the month in \"Saturday, 5 March "
     "1988\". "
     "The usual answer is that somebody told it; nobody did, and 96 % of the digits of the month "
     "look at the month. It takes about 5 seconds."},
    {"2.5",
     "Let students bring pairs of their own (--data FILE), and ask how many a model needs before "
     "it "
     "translates sentences it has never seen. Most guess far too few: a small file is learnt by "
     "heart, and the last paragraph of the step says so in numbers. Without a file it runs at once "
     "and only says how to give one."},
};

#endif
