/* Sentence pairs from a file: one pair on each line, `source<TAB>target`, anything behind a second
 * tab (the attribution of the Tatoeba collection) is left alone.
 *
 * Real files are odd. A line that cannot be used is skipped and counted by reason; only a file
 * without anything usable is an error. */
#ifndef DATA_PAIRS_H
#define DATA_PAIRS_H

#include "data/corpus.h"
#include "io/file.h"

#include <stdint.h>

/* Fields (source or target) longer than this many bytes are no sentence. */
enum { PAIRS_FIELD_LIMIT = 4000 };

typedef enum PairsSkip {
    PAIRS_NO_TAB,       /* no tab on the line */
    PAIRS_EMPTY_SIDE,   /* nothing, or only white space, on one side of the tab */
    PAIRS_NOT_UTF8,     /* bytes that are no UTF-8, or a NUL */
    PAIRS_FIELD_LONG,   /* a field of more than PAIRS_FIELD_LIMIT bytes */
    PAIRS_MANY_WORDS,   /* more tokens than max_words on one side */
    PAIRS_DUPLICATE,    /* the same pair, after tokenising, as an earlier line */
    PAIRS_OVER_LIMIT,   /* max_pairs were read already */
    PAIRS_SKIP_REASONS, /* how many reasons there are */
} PairsSkip;

/* What became of the lines of a file. Lines count from 1 as in an editor. */
typedef struct PairsReport {
    long lines;                     /* all lines; an empty line is one, too */
    long pairs;                     /* lines that became a pair */
    long empty;                     /* lines with nothing on them: left out, not counted as odd */
    long attributed;                /* pairs with a third column, which was ignored */
    long skip[PAIRS_SKIP_REASONS];  /* lines skipped, by reason */
    long first[PAIRS_SKIP_REASONS]; /* the first line number of each, 0 when none */
    bool bom, crlf;                 /* the file began with a byte order mark, had CR LF line ends */
} PairsReport;

typedef struct PairsOptions {
    int max_words;   /* longest sentence, in tokens, on either side; 0: no limit */
    int max_pairs;   /* read no more than this many; 0: all */
    int max_vocab;   /* entries of each vocabulary, special tokens included; 0: no limit */
    int min_count;   /* a word must be seen this often in the training part; 1: every word */
    double held_out; /* share of the distinct source sentences that is held out, 0 < share < 1 */
    uint64_t seed;   /* of the split */
} PairsOptions;

/* 12 words, all pairs, 4000 entries, words seen twice, one source sentence in ten held out. */
PairsOptions pairs_defaults(void);

/* One sentence pair, tokenised (see text_tokenise). */
typedef struct Pair {
    char *source, *target;
    long line; /* where it stood in the file */
} Pair;

typedef struct PairList {
    int count;
    Pair *pair;
} PairList;

/* Reads and tokenises a file; uses max_words and max_pairs only. The report (may be NULL) is filled
 * in either case. Errors, in one line with the file name and, where there is one, the line number:
 * missing, a folder, empty, too large, or no usable pair (with the reasons). */
bool pairs_read(const char *path, const PairsOptions *options, PairList *list, PairsReport *report,
                Error *error);
void pairs_free(PairList *list);

/* One or two sentences that say what became of the lines, such as "pairs.tsv: 5000 lines, 4998
 * pairs; skipped 2: 1 without a tab (line 17), 1 not UTF-8 (line 40)". free() it. */
char *pairs_report_text(const char *path, const PairsReport *report);

/* Sides of the split. held_out[i] says where pair i goes. A source sentence, compared by its words
 * alone (no capitals, no punctuation), is never on both sides: "Go!" and "Go." stay together. Which
 * sentences are held out depends on the sentences and the seed, not on the order of the lines.
 * There is at least one sentence on either side; fewer than two different sources are an Error. */
bool pairs_split(const PairList *list, double share, uint64_t seed, bool *held_out, Error *error);

/* Everything a lesson needs of a file. */
typedef struct PairData {
    Vocab *source_vocab, *target_vocab; /* words, from the training part only */
    Corpus *train;                      /* in the order of the file */
    Corpus *held_out;
    int held_out_sources; /* distinct source sentences held out */
    int *reference;       /* (held_out_sources + 1): the pairs reference[k] .. reference[k+1] - 1 of
                             held_out have the same source: all their targets are right answers */
    double source_unk, target_unk; /* share of words of the held-out part that are unknown */
} PairData;

/* pairs_read, pairs_split, vocabularies, ids. Within `held_out` the pairs of one source stand next
 * to each other, and the sources in a random order fixed by the seed: the first hundred of them are
 * a fair sample. Errors: those of pairs_read, and a file with fewer than two source sentences. */
bool pairs_load(const char *path, const PairsOptions *options, PairData *data, PairsReport *report,
                Error *error);
void pairs_data_free(PairData *data);

#endif
