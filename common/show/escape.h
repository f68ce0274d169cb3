/* Text of others in a page of ours: whatever a file or its name holds stays text.
 *
 * Bytes that are no UTF-8, control characters and those that turn the direction of writing (which
 * could make a name read as another one) are written as U+FFFD. `text` may be NULL: nothing. */
#ifndef SHOW_ESCAPE_H
#define SHOW_ESCAPE_H

#include <stdio.h>

/* As the text of an HTML element or inside a quoted attribute: & < > " and ' become references;
 * tab, newline and return become spaces. */
void html_put(FILE *out, const char *text);

/* The same, and no more than `most` characters of it, with an ellipsis where it is cut. */
void html_put_cut(FILE *out, const char *text, int most);

/* A relative path as a URL: every byte but letters, digits, '-', '.', '_', '~' and '/' as %XX, so
 * that no name can be a scheme, a query or an end of the attribute. */
void url_put(FILE *out, const char *path);

/* A JSON string with its quotes that may stand in a <script> element and in JavaScript: < > & and
 * U+2028, U+2029 are written \uXXXX, so neither "</script>" nor "<!--" can appear. Tab, newline and
 * return are kept, as \t, \n and \r. */
void json_put(FILE *out, const char *text);

#endif
