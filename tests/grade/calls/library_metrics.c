/* Metrics of common/. */
#include "grade/calls/call.h"

#include "data/metrics.h"

void check_brevity(Call *c);
void check_brevity(Call *c) {
    Bleu bleu = {.candidate_length = call_int(c, "c"), .reference_length = call_int(c, "r")};
    answer_number(c, "penalty", bleu_brevity_penalty(&bleu));
}

void check_aer(Call *c);
void check_aer(Call *c) {
    Aer aer = {.proposed = call_int(c, "proposed"),
               .sure = call_int(c, "sure"),
               .proposed_sure = call_int(c, "both_sure"),
               .proposed_possible = call_int(c, "both_sure") + call_int(c, "more")};
    answer_number(c, "rate", aer_rate(&aer));
}
