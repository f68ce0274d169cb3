/* Text: reading it, cutting it into words, putting it together again for show.
 *
 * The rules are made for English and French and do no harm to other languages that put spaces
 * between their words. A language that does not (Chinese, Thai) wants a character vocabulary. */
#ifndef DATA_TEXT_H
#define DATA_TEXT_H

#include "io/file.h"

#include <stdint.h>

/* Files larger than this are refused: 256 MB. */
#define TEXT_LIMIT ((size_t)256 << 20)

/* Reads a whole UTF-8 text, for character models: a byte order mark is dropped, CR LF and lone CR
 * become LF. Release `*text` with free(). Errors (one line, with the file name and, where there is
 * one, the line number): missing, a folder, empty, too large, not UTF-8, a NUL byte. */
bool text_load(const char *path, char **text, Error *error);

/* Words and punctuation marks in lower case with one space between them, in memory of its own
 * (free() it). What is done, in this order:
 *  - a letter followed by a combining accent becomes the one-letter form (e + U+0301 -> é);
 *  - typographic apostrophes become ', curly double quotes ", the ellipsis ...;
 *  - every kind of white space, no-break and narrow ones and control characters included,
 * separates; zero-width characters, soft hyphens and byte order marks vanish;
 *  - letters and digits make words; every other mark is a token of its own, but a row of one mark
 *    ("...", "--") stays together; - and ' between letters and . , : between digits belong to the
 *    word;
 *  - French elisions are cut behind the apostrophe: l'homme -> l' homme, qu'il -> qu' il; also c d
 * j m n s t, jusqu lorsqu puisqu quoiqu; aujourd'hui stays whole;
 *  - English endings are cut off: it's -> it 's, also 'm 're 've 'll 'd, and don't -> do n't.
 * The text is expected to be valid UTF-8. */
char *text_tokenise(const char *text);

/* Roughly the inverse, for show: punctuation moves to the word before it, an elided l' to the word
 * behind it, endings ('s, n't) to their word. Capitals do not come back. free() the result. */
char *text_detokenise(const char *tokens);

/* A 64-bit hash of some bytes (FNV-1a, Fowler, Noll and Vo, followed by the mixing function of
 * splitmix64), the same on every machine. */
uint64_t text_hash(const char *bytes, size_t size, uint64_t seed);

/* True for a token without any letter or digit, such as "," or "...". */
bool text_is_punctuation(const char *token, size_t bytes);

#endif
