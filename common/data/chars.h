/* A text as a row of characters, for models that predict the next one.
 *
 *     CharText text;
 *     chars_make(&text, "the story", story_text(), CHARS_HELD_OUT_SHARE, 128, &error);
 *     chars_window(&text, CHARS_TRAIN, &rng, B, L, input, target);     target[i] follows input[i]
 *
 * A character is a code point. Its id is 0 .. V-1, the most frequent one first (of equally frequent
 * ones the one that appears first), without special tokens: nothing is padded here, and a text has
 * no start or end that a window from its middle could show.
 *
 * The last part of the text is held out in one piece. Windows drawn at random for both sides would
 * overlap, and a model could have read the very sentences it is tested on.
 *
 * The vocabulary is that of the whole text. That gives nothing away but the alphabet, and it lets
 * every held-out character be scored: with an id for "unknown" a model would be paid for guessing
 * that some odd character comes, whichever. How many held-out characters training never shows is
 * counted instead (`unseen`): each costs the model a lot, rightly. */
#ifndef DATA_CHARS_H
#define DATA_CHARS_H

#include "core/rng.h"
#include "data/vocab.h"
#include "io/file.h"

/* The usual share of a text that is held out. */
#define CHARS_HELD_OUT_SHARE .1

/* A text with more different characters than this is refused: it is no text in any script, or one
 * that wants words. */
enum { CHARS_KINDS_LIMIT = 8192 };

typedef enum CharPart { CHARS_TRAIN, CHARS_HELD_OUT } CharPart;

typedef struct CharText {
    int V;      /* different characters in the whole text */
    int length; /* N: characters in the whole text */
    int train;  /* the first `train` of them are for training, the others held out */
    int unseen; /* held-out characters that do not occur in the training part */
    int *id;    /* (N) ids of the text in order; the held-out part begins at id + train */

    Vocab *vocab; /* of characters; its ids are those above plus VOCAB_SPECIALS */
} CharText;

/* ---- making ---- */

/* A text from a UTF-8 string. The last `held_out` of its characters (a share, 0 < held_out < 1,
 * rounded down) are held out. Both parts must have room for a window of L characters and the one
 * behind it: L is the longest window that will be asked for. Errors (one line that begins with
 * `name`): not UTF-8, too short for L, more than CHARS_KINDS_LIMIT different characters; then
 * *text is empty. A share or an L out of range is the programmer's error. */
bool chars_make(CharText *text, const char *name, const char *utf8, double held_out, int L,
                Error *error);

/* The same from a file, through text_load(): its errors, too. Line ends become \n. */
bool chars_load(CharText *text, const char *path, double held_out, int L, Error *error);

void chars_free(CharText *text); /* an empty one (all zero) is fine */

/* ---- windows ---- */

/* Characters in a part. */
int chars_count(const CharText *text, CharPart part);

/* B windows from random places of a part, all places equally likely: input (B, L) row-major, and
 * target (B, L), each the character behind the input of the same place. A window never reaches
 * into the other part. A part too short for L is an error. */
void chars_window(const CharText *text, CharPart part, Rng *rng, int B, int L, int *input,
                  int *target);

/* For testing, always the same windows: those that begin at the places 0, every, 2 every ... of a
 * part, as many as fit. With every = L each character but the first (and a rest of fewer than L
 * at the end) is a target once. */
int chars_every_count(const CharText *text, CharPart part, int every, int L);

/* The B of them that begin with number `first`, as chars_window() writes them. Asking for one that
 * does not exist is an error. */
void chars_every(const CharText *text, CharPart part, int every, int first, int B, int L,
                 int *input, int *target);

/* ---- how hard the text is ---- */

/* Entropy of the characters of a part taken one by one, in nats per character: what the best model
 * would lose that knows how frequent each is and looks at nothing before it (Shannon 1948, section
 * 6). A model that learns anything about order must get below it. log V at most. */
double chars_unigram_nats(const CharText *text, CharPart part);

/* The same amount in bits: nats / ln 2. */
double chars_bits(double nats);

/* ---- back and forth ---- */

/* Ids of a text, such as the beginning that a model is to continue. Writes at most `room` of them,
 * `*count` says how many. Errors: a character that the vocabulary lacks, more than `room`. */
bool chars_encode(const CharText *text, const char *utf8, int *ids, int room, int *count,
                  Error *error);

/* The text of `count` ids in memory of its own (free() it), to be printed: lines and tabs stay,
 * other control characters, which could upset a terminal, are written out (\x1B). */
char *chars_decode(const CharText *text, const int *ids, int count);

/* Room for a label and its NUL. */
enum { CHARS_LABEL = 8 };

/* One character as the label of an axis: the character, but _ for a space, and \n, \t, \x1B for
 * control characters. */
void chars_label(const CharText *text, int id, char out[CHARS_LABEL]);

#endif
