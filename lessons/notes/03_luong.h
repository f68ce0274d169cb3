/* For the teacher: --notes of lesson 03. */
#ifndef NOTES_03_LUONG_H
#define NOTES_03_LUONG_H

#include "lesson/walkthrough.h"

static const Note notes[] = {
    {"3.1",
     "Have them find the dot score of one word in their heads, then ask what the matrix of "
     "\"general\" is for. The usual answer is \"accuracy\"; it lets the decoder ask in a language "
     "of its own. Ask also who asks, the old state or the new one: here it is the new one, in "
     "lesson 02 it was the old. It runs at once."},
    {"3.2",
     "Ask which score translates best: the one without weights, with a matrix, or with a network "
     "of "
     "its own? Most bet on the network; all three have 99 to 100 % right, and dot has the fewest "
     "wrong links. Then ask what is lost in a window that shows half of the words: about one "
     "phrase "
     "in a hundred. It takes about 10 seconds."},
    {"3.3",
     "Ask what speaks for dot when concat translates as well. The usual answer is the number of "
     "weights; it is the work, a fifth at d = 64 and a 37th at d = 1024. Then ask what dot cannot "
     "do: compare vectors of different size. It takes about 15 seconds."},
    {"3.4",
     "Ask what becomes of a dot product, and of the softmax behind it, when vectors get longer. "
     "Those who have read about it say that without the scale the gradient vanishes: the median "
     "does, the mean does not, and the model learns all the same, 13 times slower at d_k = 1024. "
     "Ask why not divide by d itself: then all keys look alike. It takes about 15 seconds."},
    {"3.5",
     "The file of pairs of lesson 02 will do (--data FILE): ask whether another score changes "
     "anything for sentences of one's own. Most hope that it does; have them compare exact match "
     "and BLEU on the held-out sentences of both runs first. Without a file it runs at once and "
     "only says how to give one."},
};

#endif
