#include "grade/judge.h"

#include "core/check.h"
#include "grade/inputs.h"
#include "grade/sandbox.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *const outcome_words[] = {"passed",  "failed",      "needs another",   "not written",
                                     "crashed", "out of time", "did not compile", "not asked"};
const char *const outcome_keys[] = {"passed",  "failed",      "needs",        "not_written",
                                    "crashed", "out_of_time", "not_compiled", "not_asked"};

enum { SAY = 420, ANSWERS_MOST = 4 << 20 };

static const SandboxLimits sealed = {.seconds = 30,
                                     .cpu = 4,
                                     .memory = 1024,
                                     .said = 64 << 10,
                                     .answer = ANSWERS_MOST,
                                     .sealed = true};

/* The questions of one check, and all of them as the bytes that a worker reads. */
typedef struct Questions {
    Items inputs[TRIALS];
    unsigned char *bytes;
    size_t size;
} Questions;

static bool questions_draw(Questions *q, const Check *check, uint64_t seed, Error *error) {
    uint64_t stream = 14695981039346656037ull;
    for (const char *c = check->function; *c != '\0'; c++) {
        stream = (stream ^ (unsigned char)*c) * 1099511628211ull;
    }
    *q = (Questions){.size = 0};
    for (int t = 0; t < TRIALS; t++) {
        Rng rng = rng_seeded(seed, stream + (uint64_t)t);
        if (!inputs_draw(&q->inputs[t], check->inputs, &rng, t, error)) {
            return false;
        }
        q->size += items_bytes(&q->inputs[t]);
    }
    q->bytes = check_alloc(q->size);
    size_t at = 0;
    for (int t = 0; t < TRIALS; t++) {
        items_write(&q->inputs[t], q->bytes + at);
        at += items_bytes(&q->inputs[t]);
    }
    return true;
}

static void questions_free(Questions *q) {
    for (int t = 0; t < TRIALS; t++) {
        inputs_free(&q->inputs[t]);
    }
    free(q->bytes);
}

/* --- Comparing --- */

static void say_shape(char *text, size_t size, const Item *item) {
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < item->ndim && n < size; i++) {
        n += (size_t)snprintf(text + n, size - n, i == 0 ? "(%u" : ", %u", item->dim[i]);
    }
    snprintf(text + (n < size ? n : size - 1), size - (n < size ? n : size - 1), "%s",
             item->ndim > 0 ? ")" : "(1)");
}

/* "scores[0][2]" */
static void say_place(char *text, size_t size, const Item *item, size_t at) {
    int n = snprintf(text, size, "%s", item->name);
    size_t block = item_size(item);
    for (uint32_t i = 0; i < item->ndim && n < (int)size; i++) {
        block /= item->dim[i];
        n += snprintf(text + n, size - (size_t)n, "[%zu]", at / block);
        at %= block;
    }
}

static bool close_enough(float got, float expected) {
    if (isnan(expected) || isinf(expected)) {
        return isnan(expected) ? isnan(got) : got == expected;
    }
    return fabsf(got - expected) <= 2e-4f + 1e-3f * fabsf(expected); /* false for a nan */
}

/* Both answers to one question; false with words about the first difference. */
static bool same_answers(const Items *got, const Items *expected, char *text, size_t size) {
    for (int i = 0; i < expected->count; i++) {
        const Item *right = &expected->item[i], *item = i < got->count ? &got->item[i] : NULL;
        char place[80], shape[2][64];
        if (item == NULL || strcmp(item->name, right->name) != 0 || item->kind != ITEM_FLOATS) {
            snprintf(text, size, "there is no answer \"%s\"", right->name);
            return false;
        }
        if (item->ndim != right->ndim || memcmp(item->dim, right->dim, sizeof item->dim) != 0) {
            say_shape(shape[0], sizeof shape[0], item);
            say_shape(shape[1], sizeof shape[1], right);
            snprintf(text, size, "%s has the shape %s, it should have %s", right->name, shape[0],
                     shape[1]);
            return false;
        }
        for (size_t k = 0; k < item_size(right); k++) {
            if (!close_enough(item->floats[k], right->floats[k])) {
                say_place(place, sizeof place, right, k);
                snprintf(text, size, "%s is %.5g, it should be %.5g", place,
                         (double)item->floats[k], (double)right->floats[k]);
                return false;
            }
        }
    }
    return got->count == expected->count || (snprintf(text, size, "too many answers"), false);
}

/* --- How a worker ended that did not answer --- */

/* The last line that it printed, fit to be shown. */
static void last_line(const SandboxRun *run, char *text, size_t size) {
    const char *end = run->said + run->said_size;
    while (end > run->said && (end[-1] == '\n' || end[-1] == '\0')) {
        end--;
    }
    const char *at = end;
    while (at > run->said && at[-1] != '\n') {
        at--;
    }
    size_t n = 0;
    for (; at < end && n + 1 < size; at++) {
        text[n++] = (char)(isprint((unsigned char)*at) ? *at : '?');
    }
    text[n] = '\0';
}

/* "exercise 4.1 is not written yet", the last thing it said: the number. */
static bool says_missing(const SandboxRun *run, char number[8]) {
    char line[300], rest[32];
    last_line(run, line, sizeof line);
    const char *at = strstr(line, "exercise ");
    return at != NULL && sscanf(at, "exercise %7[0-9.] is not written %31s", number, rest) == 2;
}

static void judge_ending(const SandboxRun *run, const Check *check, const char *with, Verdict *v) {
    char number[8], line[300];
    const char *name = check->shown;
    size_t size = sizeof v->text;
    last_line(run, line, sizeof line);
    int signal_number = WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;
    if (run->ended != NULL && strcmp(run->ended, "out of time") == 0) {
        v->outcome = OUTCOME_OUT_OF_TIME;
        snprintf(v->text, size, "%s with %s: no answer in time", name, with);
    } else if (run->ended != NULL) {
        v->outcome = OUTCOME_FAILED;
        snprintf(v->text, size, "%s was stopped: it %s", name, run->ended);
    } else if (says_missing(run, number)) {
        bool own = strcmp(number, check->exercise) == 0;
        v->outcome = own ? OUTCOME_NOT_WRITTEN : OUTCOME_NEEDS;
        snprintf(v->text, size,
                 own ? "%s: still to be written"
                     : "%s needs exercise %s, which is "
                       "not written",
                 name, number);
    } else if (signal_number == SIGSYS) {
        v->outcome = OUTCOME_CRASHED;
        snprintf(v->text, size,
                 "%s tried what is not allowed here: to start a process, run another "
                 "program, use the network or end somebody else's (SIGSYS)",
                 name);
    } else if (signal_number != 0) {
        v->outcome = OUTCOME_CRASHED;
        snprintf(v->text, size, "%s with %s: crashed (%s)%s%.250s", name, with,
                 signal_number == SIGSEGV   ? "SIGSEGV: memory that is not its own"
                 : signal_number == SIGABRT ? "SIGABRT: stopped itself"
                 : signal_number == SIGFPE  ? "SIGFPE: division of a whole number by 0"
                                            : strsignal(signal_number),
                 line[0] != '\0' ? ", saying: " : "", line);
    } else {
        v->outcome = OUTCOME_FAILED;
        snprintf(v->text, size, "%s with %s: the program ended (exit status %d) without an answer",
                 name, with, WEXITSTATUS(run->status));
    }
}

/* --- One check --- */

/* Compares question by question; the first that is wrong or not answered decides. */
static bool compare(const Questions *q, const Check *check, const SandboxRun *right,
                    const SandboxRun *run, Verdict *v, Error *error) {
    size_t at = 0, right_at = 0;
    char with[SAY], text[300];
    static Items expected, got;
    for (int t = 0; t < TRIALS; t++) {
        const unsigned char *bytes = (const unsigned char *)right->answer;
        size_t length = items_read(&expected, bytes + right_at, right->answer_size - right_at);
        if (length == 0) {
            return error_set(error, "%s: the instructor's own worker does not answer: %.200s",
                             check->function, right->said);
        }
        right_at += length;
        inputs_say(&q->inputs[t], with, sizeof with);
        length = items_read(&got, (const unsigned char *)run->answer + at, run->answer_size - at);
        at += length;
        if (length == 0) {
            judge_ending(run, check, with, v);
            return true;
        }
        if (!same_answers(&got, &expected, text, sizeof text)) {
            v->outcome = OUTCOME_FAILED;
            snprintf(v->text, sizeof v->text, "%s with %s: %s", check->shown, with, text);
            return true;
        }
    }
    if (run->ended != NULL || run->status != 0) {
        judge_ending(run, check, "all of its inputs, afterwards", v);
    } else if (at != run->answer_size) {
        v->outcome = OUTCOME_FAILED;
        snprintf(v->text, sizeof v->text, "%s answered more than it was asked", check->shown);
    }
    return true;
}

bool judge_check(const Build *build, const Check *check, const char *program, uint64_t seed,
                 Verdict *verdict, Error *error) {
    Questions q;
    SandboxRun right = {.said = NULL}, run = {.said = NULL};
    char reference[600];
    *verdict = (Verdict){.outcome = OUTCOME_PASSED};
    build_reference_path(build, check->unit, reference);
    const char *const own_argv[] = {reference, check->function, NULL};
    const char *const argv[] = {program, check->function, NULL};
    bool fine = questions_draw(&q, check, seed, error) &&
                sandbox_run(own_argv, "/", q.bytes, q.size, &sealed, &right, error) &&
                sandbox_run(argv, "/", q.bytes, q.size, &sealed, &run, error) &&
                compare(&q, check, &right, &run, verdict, error);
    questions_free(&q);
    sandbox_free(&right);
    sandbox_free(&run);
    return fine;
}
