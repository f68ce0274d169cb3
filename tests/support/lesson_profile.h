/* What a lesson promises, as one table, and the tests that hold it to that. The test of a lesson is
 * its profile, LESSON_TESTS, and whatever is its own:
 *
 *     static const LessonProfile profile = {.lesson = "02_bahdanau", .steps = "2.1 2.2", ...};
 *
 *     int main(void) {
 *         const struct CMUnitTest tests[] = {
 *             cmocka_unit_test(test_inline_look_is_nn_attention),
 *             LESSON_TESTS(profile),
 *         };
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     } */
#ifndef TESTS_SUPPORT_LESSON_PROFILE_H
#define TESTS_SUPPORT_LESSON_PROFILE_H

#include "support/lesson_checks.h"

typedef struct LessonMistake {
    const char *name, *red; /* of --break; the claims it turns red, with --quick already */
} LessonMistake;

/* Lists of names are one text with blanks between them; lists of texts end with NULL. All must be
 * there but for what says so. */
typedef struct LessonProfile {
    const char *lesson;         /* "02_bahdanau" */
    const char *steps;          /* all, in the order of --list */
    LessonMistake mistakes[16]; /* all, in the order of --list */
    const char *trained;        /* claims that --quick does not make */
    const char *cheap;          /* claims that hold in --quick: exactly these */
    int timing;                 /* how many claims are about time; may be 0 */
    const char *files;          /* that --quick leaves */
    const char *unsaid[8];      /* conclusions that a --quick run must not print; may be empty */
    const char *alone;          /* steps that claim the same with --only as in the whole run */
    const char *refused[24][2]; /* arguments behind --quick, and what the one line then says */
    const char *accepted[8];    /* arguments behind --quick that are at the ends of what is allowed;
                                   may be empty */

    /* Without gnuplot: these arguments behind --quick, the curve that is then missing, and the
     * heatmap that is there all the same (may be NULL). */
    struct {
        const char *arguments, *curve, *heatmap;
    } undrawn;

    /* Ctrl-C in a step that trains: these arguments, the step's number, the claims that hold all
     * the same, and those that are not made (may be empty). */
    struct {
        const char *arguments;
        const char *step;
        const char *kept, *not_made;
    } interrupted;
} LessonProfile;

/* Each takes a profile as its state. */
void lesson_test_quick(void **state);
void lesson_test_cheap_claims(void **state);
void lesson_test_list(void **state);
void lesson_test_notes(void **state);
void lesson_test_mistakes(void **state);
void lesson_test_same_bits(void **state);
void lesson_test_saved_weights(void **state);
void lesson_test_steps_alone(void **state);
void lesson_test_flags_of_every_lesson(void **state);
void lesson_test_own_flags(void **state);
void lesson_test_plain_text(void **state); /* faults 30 */
void lesson_test_small_window(void **state);
void lesson_test_without_gnuplot(void **state); /* faults 26 */
void lesson_test_interrupt(void **state);

#define LESSON_TEST(test, profile)                                                                 \
    { #test, test, NULL, NULL, (void *)(uintptr_t) & (profile) }
#define LESSON_TESTS(profile)                                                                      \
    LESSON_TEST(lesson_test_quick, profile), LESSON_TEST(lesson_test_cheap_claims, profile),       \
        LESSON_TEST(lesson_test_list, profile), LESSON_TEST(lesson_test_notes, profile),           \
        LESSON_TEST(lesson_test_mistakes, profile), LESSON_TEST(lesson_test_same_bits, profile),   \
        LESSON_TEST(lesson_test_saved_weights, profile),                                           \
        LESSON_TEST(lesson_test_steps_alone, profile),                                             \
        LESSON_TEST(lesson_test_flags_of_every_lesson, profile),                                   \
        LESSON_TEST(lesson_test_own_flags, profile), LESSON_TEST(lesson_test_plain_text, profile), \
        LESSON_TEST(lesson_test_small_window, profile),                                            \
        LESSON_TEST(lesson_test_without_gnuplot, profile),                                         \
        LESSON_TEST(lesson_test_interrupt, profile)

/* ---- for what is a lesson's own ---- */

/* Runs the lesson with `arguments`, in a folder that holds a file own.tsv of `size` bytes. */
LessonRun lesson_run_on(const char *lesson, const char *text, size_t size, const char *arguments);

/* Refused in one line that names own.tsv and contains `says`. */
void check_lesson_refused_on(const char *lesson, const char *text, size_t size,
                             const char *arguments, const char *says);

/* A literal text and its size, NULs within it and all. */
#define LESSON_TEXT(text) (text), sizeof(text) - 1

/* The last y of the line with that label in the file of a learning curve, or NaN. */
double lesson_curve_end(const LessonRun *run, const char *file, const char *label);

#endif
