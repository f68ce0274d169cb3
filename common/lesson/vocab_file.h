/* Vocabularies beside the weights of a model in a safetensors file: the tokens in order of their
 * ids, each followed by a NUL, as an array of bytes. A model loaded with other words of the same
 * number would answer nonsense without a complaint. */
#ifndef LESSON_VOCAB_FILE_H
#define LESSON_VOCAB_FILE_H

#include "data/vocab.h"
#include "io/safetensors.h"

/* False when the name is taken or memory runs out. */
bool vocab_put(SafeTensors *set, const char *name, const Vocab *vocab);

/* Are they the same tokens? If not, the error says where they part; `where` begins the message and
 * `side` ("source") says which vocabulary it is. */
bool vocab_agrees(const SafeTensors *set, const char *where, const char *name, const char *side,
                  const Vocab *vocab, Error *error);

#endif
