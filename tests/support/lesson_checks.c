#include "support/lesson_checks.h"

#include "io/utf8.h"

#include <stdlib.h>

enum { MAX_MEMORY = 300 /* MB */ };

bool check_next_word(const char **list, char word[64]) {
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    snprintf(word, 64, "%.*s", (int)length, *list);
    *list += length;
    return length > 0;
}

void check_lesson_fail(const LessonRun *run, const char *what) {
    size_t length = strlen(run->out), from = length > 1500 ? length - 1500 : 0;
    print_error("%s (exit %d, %.1f s): %s\n--- stderr:\n%.1500s\n--- the end of stdout:\n%s\n",
                run->command, run->status, run->seconds, what, run->err, run->out + from);
    fail();
    abort(); /* not reached: fail() jumps */
}

void check_lesson_exit(const LessonRun *run, int status) {
    if (run->status == LESSON_TIMED_OUT && status != LESSON_TIMED_OUT) {
        check_lesson_fail(run, "took too long and was ended");
    }
    if (run->status != status) {
        char what[64];
        snprintf(what, sizeof what, "the exit code should be %d", status);
        check_lesson_fail(run, what);
    }
}

static void check_claims(const LessonRun *run) {
    LessonClaims claims = lesson_claims(run);
    if (claims.problem[0] != '\0') {
        check_lesson_fail(run, claims.problem);
    }
}

void check_lesson_status(const LessonRun *run, const char *ids, const char *status) {
    for (char id[64]; check_next_word(&ids, id);) {
        if (strcmp(lesson_claim(run, id), status) != 0) {
            char what[160];
            snprintf(what, sizeof what, "the claim %s should be \"%s\", not \"%s\"", id, status,
                     lesson_claim(run, id));
            check_lesson_fail(run, what);
        }
    }
}

void check_lesson_files(const LessonRun *run, const char *names) {
    for (char name[64]; check_next_word(&names, name);) {
        size_t size = 0;
        free(lesson_file(run, name, &size));
        if (size == 0) {
            char what[128];
            snprintf(what, sizeof what, "%s is missing or empty", name);
            check_lesson_fail(run, what);
        }
    }
}

void check_lesson_quick(const char *lesson, const char *trained, const char *files) {
    LessonRun run = lesson_run(lesson, "--quick --seed 1");
    check_lesson_exit(&run, 0);
    check_claims(&run);
    check_lesson_status(&run, trained, "not_made");
    check_lesson_files(&run, "claims.tsv run.tsv");
    check_lesson_files(&run, files);
    if (lesson_claim_count(&run, "fails") != 0 || lesson_claim_count(&run, "holds") == 0) {
        check_lesson_fail(&run, "a claim fails, or none holds");
    }
    if (run.err[0] != '\0' || strlen(run.out) < 500) {
        check_lesson_fail(&run, "a good run talks on stdout and not on stderr");
    }
    check_lesson_text(&run, 100);
    if (!lesson_is_sanitized() && run.memory > MAX_MEMORY) {
        check_lesson_fail(&run, "it held more than 300 MB");
    }
    lesson_run_free(&run);
}

void check_lesson_text(const LessonRun *run, int columns) {
    const char *line = run->out;
    while (*line != '\0') {
        char text[1024];
        int length = (int)strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", length, line);
        bool control = false;
        for (const char *c = text; *c != '\0'; c++) {
            control = control || (unsigned char)*c < ' ' || *c == 127;
        }
        if (control || utf8_width(text) > columns) {
            char what[1200];
            snprintf(what, sizeof what, "%s: \"%s\"",
                     control ? "a control character" : "a line that is too wide", text);
            check_lesson_fail(run, what);
        }
        line += length + (line[length] == '\n');
    }
}

/* --- Bits --- */

static bool must_be_same(const char *name) {
    const char *ending = strrchr(name, '.');
    return strcmp(name, "run.tsv") != 0 && strncmp(name, "timing_", 7) != 0 && ending != NULL &&
           (strcmp(ending, ".tsv") == 0 || strcmp(ending, ".png") == 0);
}

/* The first of the files that differs, in `different`, or "". */
static void compare_files(const LessonRun *a, const LessonRun *b, char different[64]) {
    char *names = lesson_file_names(a), *rest = names;
    different[0] = '\0';
    for (char *name; (name = strsep(&rest, "\n")) != NULL && different[0] == '\0';) {
        if (!must_be_same(name)) {
            continue;
        }
        size_t size_a = 0, size_b = 0;
        char *bytes_a = lesson_file(a, name, &size_a), *bytes_b = lesson_file(b, name, &size_b);
        if (bytes_a == NULL || bytes_b == NULL || size_a != size_b ||
            memcmp(bytes_a, bytes_b, size_a) != 0) {
            snprintf(different, 64, "%s", name);
        }
        free(bytes_a);
        free(bytes_b);
    }
    free(names);
}

void check_lesson_same_files(const LessonRun *a, const LessonRun *b) {
    char *names_a = lesson_file_names(a), *names_b = lesson_file_names(b);
    if (names_a[0] == '\0' || strcmp(names_a, names_b) != 0) {
        print_error("files of %s:\n%sfiles of %s:\n%s", a->command, names_a, b->command, names_b);
        fail_msg("not the same files");
    }
    char different[64];
    compare_files(a, b, different);
    if (different[0] != '\0') {
        fail_msg("%s differs between %s and %s", different, a->command, b->command);
    }
    free(names_a);
    free(names_b);
}

/* The sanitizers, under which a run takes ten times as long, find no more in the second of two runs
 * that are the same. */
void check_lesson_bits(const char *lesson) {
    if (lesson_is_sanitized()) {
        skip();
    }
    LessonRun first = lesson_run(lesson, "--quick --seed 7 --threads 1");
    static const char *const same[] = {"--quick --seed 7 --threads 1",
                                       "--quick --seed 7 --threads 2"};
    check_lesson_exit(&first, 0);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        LessonRun again = lesson_run(lesson, same[i]);
        check_lesson_exit(&again, 0);
        check_lesson_same_files(&first, &again);
        lesson_run_free(&again);
    }
    LessonRun other = lesson_run(lesson, "--quick --seed 8 --threads 1");
    char different[64];
    compare_files(&first, &other, different);
    if (different[0] == '\0') {
        check_lesson_fail(&other, "another seed changed nothing");
    }
    lesson_run_free(&other);
    lesson_run_free(&first);
}

void check_lesson_saved(const char *lesson) {
    char folder[LESSON_PATH];
    folder_new(folder);
    LessonSetting there = {.folder = folder};
    LessonRun saved = lesson_run_in(lesson, "--quick --out a --save w.safetensors", there);
    check_lesson_exit(&saved, 0);
    LessonRun loaded = lesson_run_in(lesson, "--quick --out b --load w.safetensors", there);
    check_lesson_exit(&loaded, 0);
    check_lesson_same_files(&saved, &loaded);
    if (strstr(loaded.out, "Nothing is trained") == NULL) {
        check_lesson_fail(&loaded, "--load should say that nothing is trained");
    }
    lesson_run_free(&loaded);
    lesson_run_free(&saved);
    folder_remove(folder);
}

/* --- Steps and mistakes --- */

/* A line of --list about a mistake names it; one about a step begins with its number. */
static void listed_name(const char *line, char name[64]) {
    line += strspn(line, " ");
    bool mistake = strncmp(line, "--break ", 8) == 0;
    bool step = line[0] >= '0' && line[0] <= '9';
    const char *text = mistake ? line + 8 : line;
    snprintf(name, 64, "%.*s", mistake || step ? (int)strcspn(text, " ") : 0, text);
}

void check_lesson_list(const char *lesson, const char *steps, const char *mistakes) {
    LessonRun run = lesson_run(lesson, "--list");
    check_lesson_exit(&run, 0);
    char wanted[64], listed[64], *lines = strdup(run.out), *rest = lines;
    const char *lists[] = {steps, mistakes};
    int list = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        listed_name(line, listed);
        if (listed[0] == '\0') {
            continue;
        }
        while (list < 2 && !check_next_word(&lists[list], wanted)) {
            list++;
        }
        if (list == 2 || strcmp(wanted, listed) != 0 ||
            strlen(line) < strlen(listed) + 10) { /* it says what it is, too */
            check_lesson_fail(&run, line);
        }
    }
    if (check_next_word(&lists[0], wanted) || check_next_word(&lists[1], wanted)) {
        check_lesson_fail(&run, "a step or mistake is not listed");
    }
    free(lines);
    lesson_run_free(&run);
}

/* A sentence ends with one of .?! at the end of a word, in quotes perhaps; ".89" and "13.5" end
 * none. */
static int count_sentences(const char *text) {
    int count = 0;
    for (const char *at = text; *at; at++) {
        const char *behind = at + 1 + (at[1] == '"');
        count += strchr(".?!", *at) != NULL && strchr(" \n", *behind) != NULL && at[-1] != '.';
    }
    return count;
}

void check_lesson_notes(const char *lesson, const char *steps) {
    char step[64], arguments[96], beginning[80];
    LessonRun all = lesson_run(lesson, "--notes");
    check_lesson_exit(&all, 0);
    const char *place = all.out;
    while (check_next_word(&steps, step)) {
        snprintf(arguments, sizeof arguments, "--notes --only %s", step);
        snprintf(beginning, sizeof beginning, "%s  ", step);
        LessonRun one = lesson_run(lesson, arguments);
        check_lesson_exit(&one, 0);
        check_lesson_text(&one, 80);
        int lines = 0, sentences = count_sentences(strchr(one.out, '\n'));
        for (const char *at = one.out; *at; at++) {
            lines += *at == '\n';
        }
        if (strncmp(one.out, beginning, strlen(beginning)) != 0 || sentences < 2 || sentences > 4 ||
            lines > 24 || lines < 4) {
            print_error("%d sentences, %d lines\n", sentences, lines);
            check_lesson_fail(&one, "a note has its step's title and 2 to 4 sentences");
        }
        if (strncmp(place, one.out, strlen(one.out)) != 0) {
            check_lesson_fail(&all, "the notes should stand in the order of the steps");
        }
        place += strlen(one.out);
        lesson_run_free(&one);
    }
    assert_string_equal(place, "");
    lesson_run_free(&all);
}

void check_lesson_break(const char *lesson, const char *mistake, const char *red,
                        const char *flags) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, "--quick --seed 1 --break %s %s", mistake, flags);
    LessonRun run = lesson_run(lesson, arguments);
    check_lesson_exit(&run, 1);
    check_claims(&run);
    assert_true(red[0] != '\0');
    check_lesson_status(&run, red, "fails");
    lesson_run_free(&run);
}

/* Makes one step alone the claims that it made in the whole run? */
static void compare_step(const char *lesson, const char *step, const LessonClaims *whole) {
    char arguments[128];
    snprintf(arguments, sizeof arguments, "--quick --seed 3 --only %s", step);
    LessonRun run = lesson_run(lesson, arguments);
    check_lesson_exit(&run, 0);
    LessonClaims alone = lesson_claims(&run);
    int wanted = 0, same = 0;
    for (int i = 0; i < whole->count; i++) {
        const LessonClaim *claim = &whole->claim[i];
        if (strcmp(claim->step, step) != 0) {
            continue;
        }
        wanted++;
        for (int j = 0; j < alone.count; j++) {
            same += memcmp(claim, &alone.claim[j], sizeof *claim) == 0;
        }
    }
    if (wanted == 0 || same != wanted) {
        check_lesson_fail(&run, "the claims of that step are not those of the whole run");
    }
    lesson_run_free(&run);
}

void check_lesson_only(const char *lesson, const char *steps) {
    LessonRun run = lesson_run(lesson, "--quick --seed 3");
    check_lesson_exit(&run, 0);
    LessonClaims whole = lesson_claims(&run);
    for (char step[64]; check_next_word(&steps, step);) {
        compare_step(lesson, step, &whole);
    }
    lesson_run_free(&run);
}

/* --- Refusals --- */

void check_lesson_refused(const char *lesson, const char *arguments, const char *says) {
    LessonRun run = lesson_run(lesson, arguments);
    check_lesson_exit(&run, 2);
    const char *newline = strchr(run.err, '\n');
    if (newline == NULL || newline[1] != '\0' || newline == run.err) {
        check_lesson_fail(&run, "stderr should have exactly one line");
    }
    if (strstr(run.err, says) == NULL) {
        check_lesson_fail(&run, says);
    }
    char *names = lesson_file_names(&run);
    if (names[0] != '\0') {
        check_lesson_fail(&run, "files were written");
    }
    free(names);
    lesson_run_free(&run);
}

void check_lesson_flags(const char *lesson) {
    check_lesson_refused(lesson, "--quick --no-such-flag", "no-such-flag");
    check_lesson_refused(lesson, "--quick --seed many", "seed");
    check_lesson_refused(lesson, "--quick --steps 0", "steps");
    check_lesson_refused(lesson, "--quick --steps 12x", "steps");
    check_lesson_refused(lesson, "--quick --threads 0", "threads");
    check_lesson_refused(lesson, "--quick --only 99.9", "99.9");
    check_lesson_refused(lesson, "--quick --break nothing", "nothing");
    check_lesson_refused(lesson, "--quick --seed", "seed");
    check_lesson_refused(lesson, "--quick left over", "left");
    check_lesson_refused(lesson, "--quick --out /dev/null/below", "/dev/null");
}
