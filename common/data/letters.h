/* What kind of character a code point is, as far as cutting text into words needs to know. */
#ifndef DATA_LETTERS_H
#define DATA_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

/* White space of any kind, and control characters. */
bool letter_is_space(uint32_t code);

/* Takes no room and means nothing here: zero-width characters, soft hyphen, byte order mark. */
bool letter_is_invisible(uint32_t code);

/* Punctuation and symbols. What is none of the three is part of a word. */
bool letter_is_mark(uint32_t code);

/* Part of a word: a letter, a digit, a combining accent. */
bool letter_is_word(uint32_t code);

bool letter_is_digit(uint32_t code);

/* The small letter of a capital: ASCII, Latin-1, Latin Extended-A (so that É -> é and Œ -> œ),
 * Greek and Cyrillic; any other code point comes back as it is. The locale plays no part. */
uint32_t letter_lower(uint32_t code);

/* The one-letter form of a small letter and the combining accent behind it (e + U+0301 -> é), or 0
 * when there is none. */
uint32_t letter_compose(uint32_t letter, uint32_t accent);

/* One form for the marks that come in several: apostrophes become ', double quotes ", hyphens -;
 * anything else comes back as it is. */
uint32_t letter_plain_mark(uint32_t code);

#endif
