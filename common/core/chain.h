/* How much of a computation has to happen in order.
 *
 * Two operations can be done at the same time unless one needs what the other computes. The longest
 * chain of operations that wait for each other bounds the time from below, whatever the machine:
 * Amdahl's serial part, counted in operations. */
#ifndef CORE_CHAIN_H
#define CORE_CHAIN_H

#include "core/tape.h"

/* Number of operations in the longest chain of the tape, in which each needs the result of the one
 * before it. Counts what the tape has recorded: operations on constants alone are not in it. Views
 * (reshape, slice, index) are no operations. */
int tape_longest_chain(const Tape *tape);

#endif
