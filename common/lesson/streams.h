/* Standard input, output and error as a program would like to find them. */
#ifndef LESSON_STREAMS_H
#define LESSON_STREAMS_H

#include <stdbool.h>

/* Opens /dev/null in the place of those that are closed: else the first file of the run would get
 * the number of standard output, and prose would be written into it. Output is sent line by line,
 * so that whoever watches a pipe sees it in time. */
void streams_prepare(void);

/* Sends what is left of standard output. False when it could not be written (full disk, closed
 * pipe): the reason is in errno. */
bool streams_finish(void);

#endif
