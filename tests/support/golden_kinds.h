/* What can be checked against reference values: one function for each kind of file. To teach the
 * runner a new kind, write its function and add it to the table of its file. */
#ifndef TESTS_SUPPORT_GOLDEN_KINDS_H
#define TESTS_SUPPORT_GOLDEN_KINDS_H

#include "support/golden_file.h"

#include <stddef.h>

typedef struct GoldenKind {
    const char *name;
    void (*run)(const Golden *golden); /* fails the running test where something disagrees */
} GoldenKind;

/* Tables, each ended by an entry without a name. */
extern const GoldenKind golden_op_kinds[];        /* golden_ops.c: operations of core */
extern const GoldenKind golden_optim_kinds[];     /* golden_optim.c: optimisers and schedules */
extern const GoldenKind golden_recurrent_kinds[]; /* golden_recurrent.c: rnn, lstm, gru */
extern const GoldenKind golden_attention_kinds[]; /* golden_attention.c: additive and Luong's */
extern const GoldenKind golden_sampling_kinds[];  /* golden_sampling.c: the next token, at random */
extern const GoldenKind golden_dot_product_kinds[]; /* golden_dot_product.c: sdpa, rotary */
extern const GoldenKind golden_transformer_kinds[]; /* golden_transformer.c: from multi-head
                                                       attention and positions to the whole model */

/* Every .gold file of a folder, in the order of their names, as a test of its own. Returns what
 * cmocka returns: the number of tests that failed. A folder that is missing or has no such file is
 * a failure. */
int golden_run_folder(const char *folder);

/* Where the reference values are: the folder that the environment variable GOLDEN_DIR names, else
 * tests/golden of the working directory, or of the nearest folder above it or above the program
 * (its argv[0]) that has one. */
void golden_folder(const char *program, char *folder, size_t size);

#endif
