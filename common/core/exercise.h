/* Exercises of the student edition.
 *
 * `make student OUT=dir` writes a copy of this project in which the body of every exercise is a
 * call of exercise_missing(); the instructor's edition calls it nowhere. A file with an exercise in
 * it includes this header, which also silences, for that file alone, what an empty body would make
 * the compiler complain of: parameters, variables and helpers that only the solution uses. */
#ifndef CORE_EXERCISE_H
#define CORE_EXERCISE_H

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#endif

/* Reports "exercise 4.1 is not written yet" through the handler of core/check.h, and does not
 * return: it may stand where a value is to be returned. */
_Noreturn void exercise_missing(const char *number);

#endif
