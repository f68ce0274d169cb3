/* The weights of a model in a safetensors file. What an optimiser remembers is not part of it: the
 * file is for looking at a trained model again, not for training on. */
#ifndef LESSON_PARAMS_FILE_H
#define LESSON_PARAMS_FILE_H

#include "core/params.h"
#include "io/safetensors.h"

/* Puts every weight into the set as "prefix/name" ("name" where the prefix is empty). False when a
 * name is taken or memory runs out. */
bool params_put(SafeTensors *set, const char *prefix, const Params *params);

/* Takes the weights out of the set again; bit for bit those that were put. Nothing is changed
 * unless all of it fits. Errors name the weight: one that the set lacks, one that the model lacks,
 * another shape (both are told), numbers that are not F32. `where` begins the message. */
bool params_take(const SafeTensors *set, const char *where, const char *prefix, Params *params,
                 Error *error);

/* One model in a file of its own. */
bool params_save(const char *path, const Params *params, Error *error);
bool params_load(const char *path, Params *params, Error *error);

#endif
