/* How long does it take? For numbers that are shown and never judged: see claim_timing(). */
#ifndef LESSON_STOPWATCH_H
#define LESSON_STOPWATCH_H

/* Calls work(context) once to warm up, then once more and again until `budget` seconds have gone
 * by, and returns the shortest time of one call, in seconds: the one least disturbed by whatever
 * else the machine was doing. */
double stopwatch_best(void (*work)(void *context), void *context, double budget);

#endif
