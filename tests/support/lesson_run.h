/* A lesson run the way its users run it: the program as a child process, alone in an empty folder.
 *
 *     LessonRun run = lesson_run("01_rnn", "--quick --seed 3");
 *     assert_int_equal(run.status, 0);
 *     assert_string_equal(lesson_claim(&run, "bptt_equals_tape"), "holds");
 *     lesson_run_free(&run);
 *
 * support/lesson_checks.h has what every lesson must pass, ready to be called. The program is taken
 * from $LESSON_FOLDER or, without it, from the build folder this test was compiled for. It reads
 * nothing, and is ended after LESSON_SECONDS, or five times that under the sanitizers. */
#ifndef TESTS_SUPPORT_LESSON_RUN_H
#define TESTS_SUPPORT_LESSON_RUN_H

#include "assert_close.h"

enum { LESSON_SECONDS = 60, LESSON_TIMED_OUT = 1000, LESSON_PATH = 512 };

typedef struct LessonRun {
    int status;                  /* exit code; 128 + signal when one ended it; LESSON_TIMED_OUT */
    char *out, *err;             /* what it printed, as strings */
    char folder[LESSON_PATH];    /* where it ran */
    char files[2 * LESSON_PATH]; /* where its files are, if it made any: folder/plots/NN_name, or
                                   what --out says */
    char command[LESSON_PATH];   /* for messages */
    double seconds;              /* by the clock on the wall */
    double memory;               /* MB, the most it held */
    bool own_folder;             /* made for this run: removed with it */
} LessonRun;

/* Whether the sanitizers are on: they make a training twenty times slower. */
bool lesson_is_sanitized(void);

/* Where and how; all may be zero. */
typedef struct LessonSetting {
    const char *folder;             /* run here instead of in a new empty folder; not removed */
    const char *const *environment; /* "NAME=value" to set, "NAME" to unset; ends with NULL */
    const char *interrupt_at; /* SIGINT, as of Ctrl-C, comes half a second after a line that begins
                                 like this; NULL: never */
} LessonSetting;

/* `arguments` are split at blanks. Fails the test when the program is not there. */
LessonRun lesson_run(const char *lesson, const char *arguments);
LessonRun lesson_run_in(const char *lesson, const char *arguments, LessonSetting setting);

/* Releases what it printed and removes the folder that was made for it. */
void lesson_run_free(LessonRun *run);

/* An empty folder of one's own, below $TMPDIR or /tmp; and its removal with all that is in it. */
void folder_new(char path[LESSON_PATH]);
void folder_remove(const char *path);

/* A file of the run with a zero byte behind it, its length in *size (may be NULL); release with
 * free(). NULL when it is not there. */
char *lesson_file(const LessonRun *run, const char *name, size_t *size);

/* The names of its files in alphabetical order, one a line, "" when there are none; free() it. */
char *lesson_file_names(const LessonRun *run);

/* One line of claims.tsv. */
typedef struct LessonClaim {
    char step[16], id[96], text[256], value[32], op[8], bound[32], status[16];
} LessonClaim;

enum { LESSON_MAX_CLAIMS = 128 };

typedef struct LessonClaims {
    LessonClaim claim[LESSON_MAX_CLAIMS];
    int count;
    char problem[256]; /* what is wrong with the file, or empty */
} LessonClaims;

/* Reads claims.tsv and checks its form: the header, seven columns, at least one claim, no id twice,
 * a known status, and that "holds" and "fails" are what value, op and bound say when compared
 * again. */
LessonClaims lesson_claims(const LessonRun *run);

/* The status of the claim with that id: "holds", "fails", "not_made" or "timing"; "missing" when
 * there is no such claim. Good until the next call. */
const char *lesson_claim(const LessonRun *run, const char *id);

/* How many claims have that status. */
int lesson_claim_count(const LessonRun *run, const char *status);

#endif
