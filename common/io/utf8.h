/* UTF-8: reading, checking, counting and shortening text without cutting through a character.
 *
 * A character here is a code point. Bytes that are no valid UTF-8 (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF) never stop the reader: each bad byte reads as U+FFFD. */
#ifndef IO_UTF8_H
#define IO_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a bad byte reads as. */
#define UTF8_REPLACEMENT 0xFFFDu

/* Room for one encoded code point and its NUL. */
#define UTF8_MAX 5

/* The code point at `*text`, which moves behind it; 0 at the end of the text, where it stays. */
uint32_t utf8_next(const char **text);

/* The same within `size` bytes, which may contain NULs: the code point at `bytes` goes to `*code`,
 * and the number of bytes it takes is returned (0 only when size is 0; 1 for a bad byte). */
size_t utf8_decode(const char *bytes, size_t size, uint32_t *code);

/* Writes the code point and a NUL; returns the number of bytes before the NUL (1 to 4). A number
 * that is no code point is written as U+FFFD. */
size_t utf8_encode(uint32_t code, char out[UTF8_MAX]);

/* Whether all `size` bytes are valid UTF-8. If not, the offset of the first bad byte goes to
 * `*bad_at` (which may be NULL). */
bool utf8_valid(const char *bytes, size_t size, size_t *bad_at);

/* Number of code points of a text; a bad byte counts as one. */
size_t utf8_length(const char *text);

/* Bytes taken by the first `count` code points of the text (all of it when it has fewer). */
size_t utf8_prefix(const char *text, size_t count);

/* The largest number of bytes <= `limit` that ends between two characters of the text. */
size_t utf8_truncate(const char *text, size_t limit);

/* Terminal columns of a code point: 0 for combining marks and zero-width characters, 2 for the wide
 * East Asian blocks and emoji, else 1. */
int utf8_code_width(uint32_t code);

/* Terminal columns of a text. */
int utf8_width(const char *text);

/* Copies the text so that it takes at most `columns` terminal columns and fits `size` bytes with
 * its NUL; a longer one is cut between characters and ends in an ellipsis, which is the character
 * U+2026 or, when `ascii`, a '~'. Returns the columns used. */
int utf8_shorten(char *out, size_t size, const char *text, int columns, bool ascii);

#endif
