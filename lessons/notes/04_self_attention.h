/* For the teacher: --notes of lesson 04. */
#ifndef NOTES_04_SELF_ATTENTION_H
#define NOTES_04_SELF_ATTENTION_H

#include "lesson/walkthrough.h"

static const Note notes[] = {
    {"4.1",
     "Before the weights are shown, ask where \"drinks\" will look most, and what stands in the "
     "upper right corner. Some say that scores there are zero; they are like all others, and it is "
     "the mask that makes the weights exactly 0. It runs at once: follow one row from x to y with "
     "a finger."},
    {"4.2",
     "Ask why x could not be its own query and key. The usual answer is \"more parameters\"; but a "
     "long vector finds itself, with 98 % of the weight, and one matrix for both makes the scores "
     "symmetric. Then spring the exception: vectors of length 1, unscaled, keep only 15 %. It runs "
     "at once."},
    {"4.3",
     "Ask whether what comes out for \"dog\" differs between \"dog bites man\" and \"man bites "
     "dog\". Most say of course; without positions it is the same, because a sum knows no order. "
     "Ask which two things break that: positions, and a causal mask. It runs at once."},
    {"4.4",
     "Ask how a gradient falls with distance in an RNN, an LSTM, a convolution and in attention. "
     "The usual answer is that attention's does not shrink: it is flat over distance, but of n "
     "words each gets about 1/n of it. It takes a second. The picture is distance.png."},
    {"4.5",
     "Ask which layer is less work for 64 tokens of size 64. The paper's table makes most say "
     "self-attention; with its projections it is 2.5 times the work of the recurrent layer, and "
     "what it saves is waiting. It takes a second. The times in its last table differ from machine "
     "to machine."},
    {"4.6",
     "Ask what the loss does when the causal mask is forgotten. Nearly all say that it stays high: "
     "it is the lowest of all, and only running free shows that 1 sum in 100 is right. Then ask "
     "what a row with nothing to look at should give: -infinity gives nan, -1e9 looks everywhere, "
     "zero is right. It takes about 15 seconds."},
};

#endif
