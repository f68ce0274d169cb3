#include "support/lesson_checks.h"

#include "io/utf8.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { MAX_MEMORY = 300 /* MB */ };

/* The next word of *list, copied to `word`; false at its end. */
static bool next_word(const char **list, char word[64]) {
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    snprintf(word, 64, "%.*s", (int)length, *list);
    *list += length;
    return length > 0;
}

/* Prints what a user would have seen, then fails. */
static _Noreturn void fail_run(const LessonRun *run, const char *what) {
    size_t length = strlen(run->out), from = length > 1500 ? length - 1500 : 0;
    print_error("%s (exit %d, %.1f s): %s\n--- stderr:\n%.1500s\n--- the end of stdout:\n%s\n",
                run->command, run->status, run->seconds, what, run->err, run->out + from);
    fail();
    abort(); /* not reached: fail() jumps */
}

void check_lesson_exit(const LessonRun *run, int status) {
    if (run->status == LESSON_TIMED_OUT && status != LESSON_TIMED_OUT) {
        fail_run(run, "took too long and was ended");
    }
    if (run->status != status) {
        char what[64];
        snprintf(what, sizeof what, "the exit code should be %d", status);
        fail_run(run, what);
    }
}

static void check_claims(const LessonRun *run) {
    LessonClaims claims = lesson_claims(run);
    if (claims.problem[0] != '\0') {
        fail_run(run, claims.problem);
    }
}

/* Each of the claims has that status. */
static void check_status(const LessonRun *run, const char *ids, const char *status) {
    for (char id[64]; next_word(&ids, id);) {
        if (strcmp(lesson_claim(run, id), status) != 0) {
            char what[160];
            snprintf(what, sizeof what, "the claim %s should be \"%s\", not \"%s\"", id, status,
                     lesson_claim(run, id));
            fail_run(run, what);
        }
    }
}

static void check_files(const LessonRun *run, const char *names) {
    for (char name[64]; next_word(&names, name);) {
        size_t size = 0;
        free(lesson_file(run, name, &size));
        if (size == 0) {
            char what[128];
            snprintf(what, sizeof what, "%s is missing or empty", name);
            fail_run(run, what);
        }
    }
}

void check_lesson_quick(const char *lesson, const char *trained, const char *files) {
    LessonRun run = lesson_run(lesson, "--quick --seed 1");
    check_lesson_exit(&run, 0);
    check_claims(&run);
    check_status(&run, trained, "not_made");
    check_files(&run, "claims.tsv run.tsv");
    check_files(&run, files);
    if (lesson_claim_count(&run, "fails") != 0 || lesson_claim_count(&run, "holds") == 0) {
        fail_run(&run, "a claim fails, or none holds");
    }
    if (run.err[0] != '\0' || strlen(run.out) < 500) {
        fail_run(&run, "a good run talks on stdout and not on stderr");
    }
    check_lesson_text(&run, 100);
    if (!SANITIZED && run.memory > MAX_MEMORY) {
        fail_run(&run, "it held more than 300 MB");
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
            fail_run(run, what);
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

void check_lesson_bits(const char *lesson) {
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
        fail_run(&other, "another seed changed nothing");
    }
    lesson_run_free(&other);
    lesson_run_free(&first);
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
        while (list < 2 && !next_word(&lists[list], wanted)) {
            list++;
        }
        if (list == 2 || strcmp(wanted, listed) != 0 ||
            strlen(line) < strlen(listed) + 10) { /* it says what it is, too */
            fail_run(&run, line);
        }
    }
    if (next_word(&lists[0], wanted) || next_word(&lists[1], wanted)) {
        fail_run(&run, "a step or mistake is not listed");
    }
    free(lines);
    lesson_run_free(&run);
}

void check_lesson_break(const char *lesson, const char *mistake, const char *red) {
    char arguments[128];
    snprintf(arguments, sizeof arguments, "--quick --seed 1 --break %s", mistake);
    LessonRun run = lesson_run(lesson, arguments);
    check_lesson_exit(&run, 1);
    check_claims(&run);
    assert_true(red[0] != '\0');
    check_status(&run, red, "fails");
    lesson_run_free(&run);
}

void check_lesson_only(const char *lesson, const char *step) {
    char arguments[64];
    snprintf(arguments, sizeof arguments, "--quick --seed 3 --only %s", step);
    LessonRun whole = lesson_run(lesson, "--quick --seed 3"), alone = lesson_run(lesson, arguments);
    check_lesson_exit(&whole, 0);
    check_lesson_exit(&alone, 0);
    LessonClaims of_whole = lesson_claims(&whole), of_alone = lesson_claims(&alone);
    int same = 0;
    for (int i = 0; i < of_whole.count; i++) {
        const LessonClaim *claim = &of_whole.claim[i];
        for (int j = 0; j < of_alone.count && strcmp(claim->step, step) == 0; j++) {
            same += memcmp(claim, &of_alone.claim[j], sizeof *claim) == 0;
        }
    }
    int wanted = 0;
    for (int i = 0; i < of_whole.count; i++) {
        wanted += strcmp(of_whole.claim[i].step, step) == 0;
    }
    if (wanted == 0 || same != wanted) {
        fail_run(&alone, "the claims of that step are not those of the whole run");
    }
    lesson_run_free(&whole);
    lesson_run_free(&alone);
}

/* --- Refusals --- */

void check_lesson_refused(const char *lesson, const char *arguments, const char *says) {
    LessonRun run = lesson_run(lesson, arguments);
    check_lesson_exit(&run, 2);
    const char *newline = strchr(run.err, '\n');
    if (newline == NULL || newline[1] != '\0' || newline == run.err) {
        fail_run(&run, "stderr should have exactly one line");
    }
    if (strstr(run.err, says) == NULL) {
        fail_run(&run, says);
    }
    char *names = lesson_file_names(&run);
    if (names[0] != '\0') {
        fail_run(&run, "files were written");
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
