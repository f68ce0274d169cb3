/* Claims: whatever a lesson says in numbers is measured in the very run that says it, and compared
 * with its bound. This is the list of them; lessons make them through lesson/run.h. */
#ifndef LESSON_CLAIMS_H
#define LESSON_CLAIMS_H

#include "io/file.h"
#include "show/terminal.h"

typedef enum ClaimStatus {
    CLAIM_HOLDS,
    CLAIM_FAILS,
    CLAIM_NOT_MADE, /* needs the full training, and this run had less */
    CLAIM_TIMING,   /* about seconds: shown, never wrong */
} ClaimStatus;

typedef struct Claim {
    char *step, *id, *text; /* "2.2", "without_10", "without attention ..." */
    const char *op;         /* "<" "<=" ">" ">=" "==" */
    double value, bound;
    ClaimStatus status;
} Claim;

typedef struct Claims {
    Claim *list;
    int count, capacity;
} Claims;

/* Compares: "<" and the like; anything with a NaN is false. An unknown `op` stops the program. */
bool claim_compare(double value, const char *op, double bound);

/* Adds one and returns it. HOLDS and FAILS are decided here from the value: pass either. A second
 * claim with the same id stops the program. */
const Claim *claims_add(Claims *claims, const char *step, const char *id, const char *text,
                        double value, const char *op, double bound, ClaimStatus status);

int claims_count(const Claims *claims, ClaimStatus status);

/* One line: "[holds] without attention exact match is low: 3.1 % (bound < 25 %)". Values are
 * percent when the text has a '%' in it, and fractions in the files; a ", %" at the end of the text
 * only says so and is not shown. A time that misses its bound is marked, and not judged. */
void claim_show(const Terminal *term, const Claim *claim);

/* All of them as a table, and how many hold, fail and were not made. */
void claims_show(const Terminal *term, const Claims *claims);

/* claims.tsv with the columns step id text value op bound status; "-" for a value that was not
 * measured or is seconds. The latter stand in timing_claims.tsv, with the same columns, which is
 * there only when a claim is about time. */
bool claims_write(const Claims *claims, const char *folder, Error *error);

/* "holds", "fails", "not_made", "timing". */
const char *claim_status_name(ClaimStatus status);

void claims_free(Claims *claims);

#endif
