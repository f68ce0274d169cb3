#include "data/metrics.h"

#include "core/check.h"

#include <math.h>
#include <stdlib.h>

/* ---- shares ---- */

void tally_add(Tally *tally, bool right) {
    tally->right += right;
    tally->total++;
}

double tally_share(Tally tally) {
    return tally.total > 0 ? (double)tally.right / (double)tally.total : 0.0;
}

static bool is_known(Ids ids) {
    for (int i = 0; i < ids.length; i++) {
        if (ids.id[i] == VOCAB_UNK) {
            return false;
        }
    }
    return true;
}

void exact_match_add(Tally *tally, Ids candidate, const Ids *references, int reference_count) {
    bool right = false;
    for (int i = 0; i < reference_count; i++) {
        right = right || ids_equal(candidate, references[i]);
    }
    tally_add(tally, right && is_known(candidate));
}

void token_accuracy_add(Tally *tally, const int *predicted, const int *target, int n) {
    for (int i = 0; i < n; i++) {
        if (target[i] != VOCAB_PAD) {
            tally_add(tally, predicted[i] == target[i]);
        }
    }
}

/* ---- BLEU ---- */

static bool same_ngram(const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i] || a[i] == VOCAB_UNK) {
            return false;
        }
    }
    return true;
}

/* How often the n-gram occurs in the sentence, looking at places up to `last` (inclusive). */
static int count_ngram(const int *ngram, int n, Ids sentence, int last) {
    int count = 0;
    for (int i = 0; i + n <= sentence.length && i <= last; i++) {
        count += same_ngram(ngram, sentence.id + i, n);
    }
    return count;
}

/* Clipped matches: the k-th occurrence of an n-gram counts when some reference has it at least k
 * times. Quadratic in the length, which for sentences is faster than any table. */
static long clipped_matches(Ids candidate, const Ids *references, int reference_count, int n) {
    long matched = 0;
    for (int i = 0; i + n <= candidate.length; i++) {
        const int *ngram = candidate.id + i;
        int occurrence = count_ngram(ngram, n, candidate, i);
        bool found = false;
        for (int r = 0; r < reference_count && !found; r++) {
            found = occurrence > 0 &&
                    count_ngram(ngram, n, references[r], references[r].length) >= occurrence;
        }
        matched += found;
    }
    return matched;
}

/* The reference length closest to that of the candidate, the shorter of two equally close ones. */
static int closest_length(int length, const Ids *references, int reference_count) {
    int best = references[0].length;
    for (int r = 1; r < reference_count; r++) {
        int gap = abs(references[r].length - length);
        int best_gap = abs(best - length);
        if (gap < best_gap || (gap == best_gap && references[r].length < best)) {
            best = references[r].length;
        }
    }
    return best;
}

void bleu_add_references(Bleu *bleu, Ids candidate, const Ids *references, int reference_count) {
    CHECK(reference_count > 0, "bleu_add: a candidate needs a reference");
    for (int n = 1; n <= BLEU_ORDER; n++) {
        bleu->matched[n - 1] += clipped_matches(candidate, references, reference_count, n);
        bleu->proposed[n - 1] += candidate.length >= n ? candidate.length - n + 1 : 0;
    }
    bleu->candidate_length += candidate.length;
    bleu->reference_length += closest_length(candidate.length, references, reference_count);
}

void bleu_add(Bleu *bleu, Ids candidate, Ids reference) {
    bleu_add_references(bleu, candidate, &reference, 1);
}

double bleu_precision(const Bleu *bleu, int n) {
    CHECK(n >= 1 && n <= BLEU_ORDER, "bleu_precision: order %d is not in 1..%d", n, BLEU_ORDER);
    long proposed = bleu->proposed[n - 1];
    return proposed > 0 ? (double)bleu->matched[n - 1] / (double)proposed : 0.0;
}

/* Exercise 2.5 */
double bleu_brevity_penalty(const Bleu *bleu) {
    if (bleu->candidate_length == 0) {
        return 0.0;
    }
    if (bleu->candidate_length >= bleu->reference_length) {
        return 1.0;
    }
    return exp(1.0 - (double)bleu->reference_length / (double)bleu->candidate_length);
}

double bleu_score(const Bleu *bleu) {
    double log_sum = 0.0;
    int orders = 0;
    for (int n = 1; n <= BLEU_ORDER && bleu->proposed[n - 1] > 0; n++) {
        if (bleu->matched[n - 1] == 0) {
            return 0.0;
        }
        log_sum += log(bleu_precision(bleu, n));
        orders++;
    }
    return orders > 0 ? bleu_brevity_penalty(bleu) * exp(log_sum / orders) : 0.0;
}

/* ---- alignment ---- */

void alignment_argmax(const float *weights, int T, int columns, size_t stride, int *link) {
    for (int t = 0; t < T; t++) {
        const float *row = weights + (size_t)t * stride;
        link[t] = 0;
        for (int s = 1; s < columns; s++) {
            if (row[s] > row[link[t]]) {
                link[t] = s;
            }
        }
    }
}

void aer_add(Aer *aer, const int *link, int T, const unsigned char *gold, int S, int gold_stride) {
    for (int t = 0; t < T; t++) {
        const unsigned char *row = gold + (size_t)t * (size_t)gold_stride;
        int sure = 0;
        int possible = 0; /* the sure ones included */
        for (int s = 0; s < S; s++) {
            sure += row[s] == 2;
            possible += row[s] != 0;
        }
        if (possible == 0) {
            continue;
        }
        int at_link = link[t] >= 0 && link[t] < S ? row[link[t]] : 0;
        aer->proposed++;
        aer->sure += sure;
        aer->proposed_sure += at_link == 2;
        aer->proposed_possible += at_link != 0;
    }
}

/* Exercise 2.6 */
double aer_rate(const Aer *aer) {
    long all = aer->proposed + aer->sure;
    return all > 0 ? 1.0 - (double)(aer->proposed_sure + aer->proposed_possible) / (double)all
                   : 0.0;
}

void span_hits_add(Tally *tally, const int *link, int begin, int end, int column_begin,
                   int column_end) {
    for (int t = begin; t < end; t++) {
        tally_add(tally, link[t] >= column_begin && link[t] < column_end);
    }
}
