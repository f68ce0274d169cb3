/* Greedy decoding: at each step take the most probable token and feed it back. */
#ifndef NN_DECODE_H
#define NN_DECODE_H

/* One step of some decoder for B sequences at once: from the tokens of the step before, the scores
 * of the next ones, (B, V) row-major. The numbers must stay valid until the next call. */
typedef const float *(*DecodeStep)(void *decoder, const int *previous, int B);

/* Writes the tokens of sequence b at step t to tokens[t * B + b], up to max_steps of them, and the
 * number of tokens before the end token to length[b] (max_steps if it never came; the tokens after
 * the end are `end`, too). Returns the number of steps taken: it stops early when every sequence
 * has ended. */
int decode_greedy(DecodeStep step, void *decoder, int B, int V, int start, int end, int max_steps,
                  int *tokens, int *length);

#endif
