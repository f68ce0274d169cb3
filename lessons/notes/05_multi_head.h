/* For the teacher: --notes of lesson 05. */
#ifndef NOTES_05_MULTI_HEAD_H
#define NOTES_05_MULTI_HEAD_H

#include "lesson/walkthrough.h"

static const Note notes[] = {
    {"5.1",
     "Ask what more heads cost. The usual answer is \"more parameters\": there are exactly as "
     "many, "
     "and as many multiply-adds; only the exponentials grow. Then ask how one would notice that "
     "heads were merged in the wrong order: the shapes are right, so nothing complains. It runs at "
     "once."},
    {"5.2",
     "Ask how many heads it takes to name each of the four letters before. Many say that one head "
     "twice as wide does what two do; it still has one row of weights, and gets 43 %. Ask also "
     "whether 16 heads hurt: they only learn later. It takes about 5 seconds."},
    {"5.3",
     "Ask how one recognises a head that nobody needs. The usual answers are \"all its weights are "
     "0\" and \"it looks everywhere alike\"; rows of a softmax sum to 1, the dead head's map is as "
     "beautiful as before, and looking everywhere is right when the answer is an average. It takes "
     "a few seconds. "
     "Let the class sort the four maps before the table does."},
    {"5.4",
     "Ask how many of the 24 heads of a trained translator can be removed, one at a time, without "
     "harm. Most guess a few; it is 17, and all of the encoder's together cost .01. Ask what its "
     "busy maps show, then: where a head looks, not whether anybody listens. It takes about 5 "
     "seconds."},
};

#endif
