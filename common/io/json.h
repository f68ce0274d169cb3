/* A strict reader of JSON (RFC 8259), for formats whose shape is known beforehand: the caller asks
 * for what must come next, and anything else is an error that names the place. Nothing nests but
 * by the caller's own calls, so no text can make it recurse, and nothing is allocated but the
 * strings that are really there.
 *
 *     Json json = json_begin(text, size, &error);
 *     if (json_expect(&json, '{') && !json_next(&json, '}')) {
 *         do {
 *             char *key = json_string(&json);
 *             ok = key != NULL && json_expect(&json, ':') && json_whole(&json, &value);
 *             free(key);
 *         } while (ok && json_next(&json, ','));
 *         ok = ok && json_expect(&json, '}');
 *     }
 *     ok = ok && json_end(&json);
 */
#ifndef IO_JSON_H
#define IO_JSON_H

#include "io/file.h"

#include <stdint.h>

typedef struct Json {
    const char *begin, *at, *end;
    Error *error; /* "JSON, byte 12: a string is needed here", the first byte being 1 */
} Json;

Json json_begin(const char *text, size_t size, Error *error);

/* Is this the next character, blanks apart? Then it is read; if not, nothing is. */
bool json_next(Json *json, char wanted);

/* The same where nothing else may stand. */
bool json_expect(Json *json, char wanted);

/* A string, its escapes resolved, in memory of its own (free() it); NULL on an error. Errors: no
 * string, one that does not end, control characters, unknown escapes, half a surrogate pair, bytes
 * that are no UTF-8, and the character U+0000, which a text in C cannot hold. */
char *json_string(Json *json);

/* A whole number from 0 to 2^63 - 1 in digits alone. Errors: a sign, a leading zero, a fraction, an
 * exponent, a number too large. */
bool json_whole(Json *json, uint64_t *value);

/* Nothing but blanks is left. */
bool json_end(Json *json);

/* Writes a text as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void json_put_string(FILE *out, const char *text);

#endif
