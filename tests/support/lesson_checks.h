/* What every lesson must pass. Each check is a test by itself: it runs the lesson as a user would
 * (support/lesson_run.h), and fails the test with the command and what it said.
 * support/lesson_profile.h makes a lesson's tests of them.
 *
 *     static void test_quick(void **state) {
 *         (void)state;
 *         check_lesson_quick("01_rnn", "recall_rnn recall_attention", "gradient_decay.tsv");
 *     } */
#ifndef TESTS_SUPPORT_LESSON_CHECKS_H
#define TESTS_SUPPORT_LESSON_CHECKS_H

#include "support/lesson_run.h"

/* Lists of names are one text with blanks between them. */

/* --quick: exit 0 and nothing on stderr, well-formed claims, none fails, at least one holds; the
 * claims in `trained` (those that need the full training) are not made; the `files` are there and
 * not empty; and it held less than 300 MB (sanitizers hold more and are let off). */
void check_lesson_quick(const char *lesson, const char *trained, const char *files);

/* The same seed twice, and one thread against two: the same files byte for byte, all .tsv and .png
 * but run.tsv and timing_*. Another seed: other bytes in at least one of them. */
void check_lesson_bits(const char *lesson);

/* What --quick --save has kept, --quick --load shows: the same files as check_lesson_bits() means
 * them. */
void check_lesson_saved(const char *lesson);

/* --list prints a line for each of the `steps`, in that order, then one `--break NAME  what it
 * does` for each of the `mistakes`, and no more of either. */
void check_lesson_list(const char *lesson, const char *steps, const char *mistakes);

/* --notes says 2 to 4 sentences on each of the `steps`, in that order and on no other; each of them
 * fits 24 lines of 80 columns, under its title. */
void check_lesson_notes(const char *lesson, const char *steps);

/* --break MISTAKE --quick and further `flags`: exit 1, and the claims in `red` (at least one) fail.
 */
void check_lesson_break(const char *lesson, const char *mistake, const char *red,
                        const char *flags);

/* --quick --only STEP, for each of the `steps`: the claims of that step, exactly as the whole
 * --quick run makes them. */
void check_lesson_only(const char *lesson, const char *steps);

/* These arguments are refused: exit 2, exactly one line on stderr, which contains `says`, and no
 * file is written. */
void check_lesson_refused(const char *lesson, const char *arguments, const char *says);

/* The refusals of the flags every lesson has: unknown flag, bad numbers, a step and a mistake that
 * do not exist, an --out that is in the way. */
void check_lesson_flags(const char *lesson);

/* No line of what it printed is wider than that many characters; no control character but the
 * newline is in it. */
void check_lesson_text(const LessonRun *run, int columns);

/* Fails the test unless it ended with that exit code. */
void check_lesson_exit(const LessonRun *run, int status);

/* Fails the test unless each of these claims has that status. */
void check_lesson_status(const LessonRun *run, const char *ids, const char *status);

/* Fails the test unless each of these files is there and not empty. */
void check_lesson_files(const LessonRun *run, const char *names);

/* Prints what a user would have seen, then fails. */
_Noreturn void check_lesson_fail(const LessonRun *run, const char *what);

/* The next word of *list, copied to `word`; false at its end. */
bool check_next_word(const char **list, char word[64]);

/* Fails the test unless both runs made files of the same names, and those that must be the same for
 * the same seed are. */
void check_lesson_same_files(const LessonRun *a, const LessonRun *b);

#endif
