/* Metrics: how good is an answer?
 *
 * All are sums over a test set, filled sentence by sentence and divided once at the end. Start from
 * {0}: `Bleu bleu = {0};`. */
#ifndef DATA_METRICS_H
#define DATA_METRICS_H

#include "data/corpus.h"

#include <stddef.h>

/* ---- shares ---- */

typedef struct Tally {
    long right, total;
} Tally;

void tally_add(Tally *tally, bool right);

/* right / total, 0 .. 1; 0 when nothing was counted. */
double tally_share(Tally tally);

/* Exact match: one more sentence, right when all its tokens are (ids_equal of corpus.h); with
 * several references, when it equals any of them. A candidate with an unknown word is never right:
 * two unknown words need not be the same word. */
void exact_match_add(Tally *tally, Ids candidate, const Ids *references, int reference_count);

/* Token accuracy: n predictions against n targets; targets that are VOCAB_PAD do not count. Padded
 * steps are easy, and counting them flatters a model. */
void token_accuracy_add(Tally *tally, const int *predicted, const int *target, int n);

/* ---- BLEU ---- */

enum { BLEU_ORDER = 4 };

/* Corpus BLEU-4, Papineni, Roukos, Ward and Zhu 2002:
 *
 *     BLEU = BP exp( mean over n of log p_n )      BP = 1 if c > r, else exp(1 - r / c)
 *
 * p_n is the share of n-grams of all candidates that occur in their references, each n-gram counted
 * at most as often as in the one reference that has most of it (clipping); c is the length of all
 * candidates, r that of the references (of several, the one closest in length, the shorter on a
 * tie). Over tokens as they are: words of text_tokenise, lower case. Unknown words (VOCAB_UNK)
 * count for the lengths but match nothing, not even each other.
 *
 * No smoothing: a p_n of 0 makes BLEU 0. The mean runs over n = 1..4, but orders of which no
 * candidate has any n-gram (all candidates shorter than n) are left out: so a perfect corpus of
 * one-word sentences scores 1, not 0/0. Without any candidate token BLEU is 0. */
typedef struct Bleu {
    long matched[BLEU_ORDER];  /* clipped n-gram matches; [0] is single words */
    long proposed[BLEU_ORDER]; /* n-grams of the candidates */
    long candidate_length;     /* c */
    long reference_length;     /* r */
} Bleu;

/* One more sentence, with one reference or several (at least one). */
void bleu_add(Bleu *bleu, Ids candidate, Ids reference);
void bleu_add_references(Bleu *bleu, Ids candidate, const Ids *references, int reference_count);

double bleu_precision(const Bleu *bleu, int n); /* p_n, n = 1..4; 0 when there is no n-gram */
double bleu_brevity_penalty(const Bleu *bleu);  /* 0 .. 1; 0 when c = 0 */
double bleu_score(const Bleu *bleu);            /* 0 .. 1 */

/* ---- alignment ---- */

/* Alignment error rate, Och and Ney 2003: 1 - (|A and S| + |A and P|) / (|A| + |S|) with the
 * proposed links A, the sure gold links S and the possible ones P, which include the sure.
 *
 * From attention, A has one link for each target word: to the source position with the largest
 * weight (the first of equals). Target words without any gold link are left out altogether, since
 * attention must point somewhere; so is the end token of the target, which is no row of the gold.
 * A link to a position behind the last source word (an end token, padding) is simply wrong. */
typedef struct Aer {
    long proposed;          /* |A| */
    long sure;              /* |S| */
    long proposed_sure;     /* |A and S| */
    long proposed_possible; /* |A and P| */
} Aer;

/* Source position each of T rows looks at most. Row t begins at weights + t * stride and has
 * `columns` weights. In a time-major log of weights (T, B, S) that is weights + b * S, stride B *
 * S. */
void alignment_argmax(const float *weights, int T, int columns, size_t stride, int *link);

/* One more sentence: link[t] for T target words, gold[t * gold_stride + s] a Link of phrases.h
 * (0 none, 1 possible, 2 sure) for S source words. */
void aer_add(Aer *aer, const int *link, int T, const unsigned char *gold, int S, int gold_stride);

/* 0 (perfect) .. 1; 0 when nothing was counted. */
double aer_rate(const Aer *aer);

/* How often the rows begin .. end - 1 link into the columns column_begin .. column_end - 1: "does
 * the month look at the month?" One count for each row. */
void span_hits_add(Tally *tally, const int *link, int begin, int end, int column_begin,
                   int column_end);

#endif
