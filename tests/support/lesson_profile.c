#include "support/lesson_profile.h"

#include <stdlib.h>

#include "support/lesson_window.h"

void lesson_test_quick(void **state) {
    const LessonProfile *profile = *state;
    check_lesson_quick(profile->lesson, profile->trained, profile->files);
}

static int count_words(const char *list) {
    int count = 0;
    for (char word[64]; check_next_word(&list, word);) {
        count++;
    }
    return count;
}

/* What can be checked without training is checked, and what a short run has not measured it does
 * not say. */
void lesson_test_cheap_claims(void **state) {
    const LessonProfile *profile = *state;
    if (lesson_is_sanitized()) { /* the same run as that of lesson_test_quick */
        skip();
    }
    LessonRun run = lesson_run(profile->lesson, "--quick --no-plots");
    check_lesson_status(&run, profile->cheap, "holds");
    if (lesson_claim_count(&run, "holds") != count_words(profile->cheap)) {
        check_lesson_fail(&run, "a claim holds that is not in the profile's list `cheap`");
    }
    assert_int_equal(lesson_claim_count(&run, "timing"), profile->timing);
    for (int i = 0; profile->unsaid[i] != NULL; i++) {
        if (strstr(run.out, profile->unsaid[i]) != NULL) {
            check_lesson_fail(&run, profile->unsaid[i]);
        }
    }
    lesson_run_free(&run);
}

void lesson_test_list(void **state) {
    const LessonProfile *profile = *state;
    char mistakes[1024] = "";
    for (int i = 0; profile->mistakes[i].name != NULL; i++) {
        size_t used = strlen(mistakes);
        snprintf(mistakes + used, sizeof mistakes - used, "%s ", profile->mistakes[i].name);
    }
    check_lesson_list(profile->lesson, profile->steps, mistakes);
}

void lesson_test_notes(void **state) {
    const LessonProfile *profile = *state;
    check_lesson_notes(profile->lesson, profile->steps);
}

void lesson_test_small_window(void **state) {
    const LessonProfile *profile = *state;
    if (lesson_is_sanitized()) { /* the pager has tests of its own, and nobody waits so long */
        skip();
    }
    check_lesson_window(profile->lesson);
}

/* "--only 4.2,4.6": the steps that make these claims. */
static void only_steps_of(const LessonClaims *claims, const char *ids, char flags[128]) {
    strcpy(flags, "");
    for (char id[64]; check_next_word(&ids, id);) {
        for (int i = 0; i < claims->count; i++) {
            const LessonClaim *claim = &claims->claim[i];
            if (strcmp(claim->id, id) == 0 && strstr(flags, claim->step) == NULL) {
                size_t used = strlen(flags);
                snprintf(flags + used, 128 - used, "%s%s", used == 0 ? "--only " : ",",
                         claim->step);
            }
        }
    }
}

/* Under the sanitizers, where a run takes ten times as long, only in the steps that turn red: in
 * the others there is nothing that a whole run has not done already. */
void lesson_test_mistakes(void **state) {
    const LessonProfile *profile = *state;
    LessonClaims claims = {.count = 0};
    char only[128];
    if (lesson_is_sanitized()) {
        LessonRun run = lesson_run(profile->lesson, "--quick --no-plots");
        claims = lesson_claims(&run);
        lesson_run_free(&run);
    }
    assert_non_null(profile->mistakes[0].name);
    for (const LessonMistake *mistake = profile->mistakes; mistake->name != NULL; mistake++) {
        only_steps_of(&claims, mistake->red, only);
        check_lesson_break(profile->lesson, mistake->name, mistake->red, only);
    }
}

void lesson_test_same_bits(void **state) {
    const LessonProfile *profile = *state;
    check_lesson_bits(profile->lesson);
}

void lesson_test_saved_weights(void **state) {
    const LessonProfile *profile = *state;
    check_lesson_saved(profile->lesson);
}

void lesson_test_steps_alone(void **state) {
    const LessonProfile *profile = *state;
    assert_int_not_equal(count_words(profile->alone), 0);
    check_lesson_only(profile->lesson, profile->alone);
}

void lesson_test_flags_of_every_lesson(void **state) {
    const LessonProfile *profile = *state;
    check_lesson_flags(profile->lesson);
}

void lesson_test_own_flags(void **state) {
    const LessonProfile *profile = *state;
    char arguments[256];
    assert_non_null(profile->refused[0][0]);
    for (int i = 0; profile->refused[i][0] != NULL; i++) {
        snprintf(arguments, sizeof arguments, "--quick %s", profile->refused[i][0]);
        check_lesson_refused(profile->lesson, arguments, profile->refused[i][1]);
    }
    for (int i = 0; profile->accepted[i] != NULL; i++) {
        snprintf(arguments, sizeof arguments, "--quick %s", profile->accepted[i]);
        LessonRun run = lesson_run(profile->lesson, arguments);
        check_lesson_exit(&run, 0);
        lesson_run_free(&run);
    }
}

/* What every terminal can show: plain ASCII under LC_ALL=C, no escape sequences in a pipe. (With
 * two threads, so that the sanitizers see those, too.) */
void lesson_test_plain_text(void **state) {
    const LessonProfile *profile = *state;
    const char *const c_locale[] = {"LC_ALL=C", "NO_COLOR=1", "TERM=dumb", NULL};
    LessonRun run = lesson_run_in(profile->lesson, "--quick --threads 2",
                                  (LessonSetting){.environment = c_locale});
    check_lesson_exit(&run, 0);
    check_lesson_text(&run, 100);
    for (const char *c = run.out; *c != '\0'; c++) {
        assert_in_range(*c, 0, 126);
    }
    lesson_run_free(&run);
}

/* The numbers and the heatmaps are there, one line says how to draw the rest, and all is well. */
void lesson_test_without_gnuplot(void **state) {
    const LessonProfile *profile = *state;
    if (lesson_is_sanitized()) { /* tests/show/test_gnuplot goes these ways, too */
        skip();
    }
    const char *const no_path[] = {"PATH=/nonexistent", NULL};
    char arguments[256];
    snprintf(arguments, sizeof arguments, "--quick %s", profile->undrawn.arguments);
    LessonRun run =
        lesson_run_in(profile->lesson, arguments, (LessonSetting){.environment = no_path});
    check_lesson_exit(&run, 0);
    char curve[128];
    snprintf(curve, sizeof curve, "%s.png", profile->undrawn.curve);
    assert_null(lesson_file(&run, curve, NULL));
    snprintf(curve, sizeof curve, "%s.gp", profile->undrawn.curve);
    check_lesson_files(&run, curve);
    if (profile->undrawn.heatmap != NULL) {
        check_lesson_files(&run, profile->undrawn.heatmap);
    }
    if (strstr(run.out, "gnuplot") == NULL) {
        check_lesson_fail(&run, "it does not say how to draw the curves");
    }
    lesson_run_free(&run);
}

/* Ctrl-C in a training: exit 130, what was measured before is kept. */
void lesson_test_interrupt(void **state) {
    const LessonProfile *profile = *state;
    LessonRun run = lesson_run_in(profile->lesson, profile->interrupted.arguments,
                                  (LessonSetting){.interrupt_at = profile->interrupted.step});
    check_lesson_exit(&run, 130);
    assert_int_not_equal(count_words(profile->interrupted.kept), 0);
    check_lesson_status(&run, profile->interrupted.kept, "holds");
    if (profile->interrupted.not_made != NULL) {
        check_lesson_status(&run, profile->interrupted.not_made, "not_made");
    }
    lesson_run_free(&run);
}

/* --- For what is a lesson's own --- */

LessonRun lesson_run_on(const char *lesson, const char *text, size_t size, const char *arguments) {
    char folder[LESSON_PATH], path[LESSON_PATH + 16];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/own.tsv", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    LessonRun run = lesson_run_in(lesson, arguments, (LessonSetting){.folder = folder});
    folder_remove(folder);
    return run;
}

void check_lesson_refused_on(const char *lesson, const char *text, size_t size,
                             const char *arguments, const char *says) {
    LessonRun run = lesson_run_on(lesson, text, size, arguments);
    check_lesson_exit(&run, 2);
    if (strstr(run.err, "own.tsv") == NULL || strstr(run.err, says) == NULL ||
        strchr(run.err, '\n') != run.err + strlen(run.err) - 1) {
        check_lesson_fail(&run, "stderr should have one line that names own.tsv and the reason");
    }
    lesson_run_free(&run);
}

double lesson_curve_end(const LessonRun *run, const char *file, const char *label) {
    char *text = lesson_file(run, file, NULL), *rest = text, ending[128];
    double last = (double)NAN;
    snprintf(ending, sizeof ending, "\t%s", label);
    for (char *line; text != NULL && (line = strsep(&rest, "\n")) != NULL;) {
        size_t length = strlen(line), tail = strlen(ending);
        double y;
        if (length > tail && strcmp(line + length - tail, ending) == 0 &&
            sscanf(line, "%*s\t%*s\t%lf", &y) == 1) {
            last = y;
        }
    }
    free(text);
    return last;
}
