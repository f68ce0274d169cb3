#include "lesson/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "lesson/params_file.h"
#include "lesson/vocab_file.h"
#include "lesson/walkthrough.h"

struct Weights {
    SafeTensors loaded, kept;
    int written;  /* arrays of `kept` that are in the file */
    char **begun; /* "2.2/attention" of each training so far, some more than once */
    int begun_count;
    Error other; /* see weights_other() */
};

/* ---- names ---- */

/* "2.2/attention" in memory of its own. */
static char *base_name(const Run *run, const char *label) {
    size_t size = strlen(run->step->number) + strlen(label) + 2;
    char *name = check_alloc(size);
    int used = snprintf(name, size, "%s/", run->step->number);
    for (const char *at = label; *at; at++) {
        name[used++] = strchr("/:", *at) != NULL ? ',' : *at;
    }
    return name;
}

static void begin_training(Run *run, const char *label) {
    Weights *weights = run->weights;
    size_t size = (size_t)(weights->begun_count + 1) * sizeof *weights->begun;
    char **longer = realloc(weights->begun, size);
    CHECK(longer != NULL, "out of memory");
    weights->begun = longer;
    weights->begun[weights->begun_count++] = base_name(run, label);
}

/* "2.2/attention" or, for the second of that label, "2.2/attention (2)"; behind it ":what" or
 * nothing. In memory of its own. */
static char *name_of(const Run *run, const char *label, const char *what) {
    char *base = base_name(run, label), number[16] = "";
    int times = 0;
    for (int i = 0; i < run->weights->begun_count; i++) {
        times += strcmp(run->weights->begun[i], base) == 0;
    }
    if (times > 1) {
        snprintf(number, sizeof number, " (%d)", times);
    }
    size_t size = strlen(base) + strlen(number) + strlen(what) + 2;
    char *name = check_alloc(size);
    snprintf(name, size, "%s%s%s%s", base, number, *what ? ":" : "", what);
    free(base);
    return name;
}

/* ---- loading ---- */

static bool is_loading(const Run *run) {
    return run->weights != NULL && run->flags.load != NULL;
}

static bool is_saving(const Run *run) {
    return run->weights != NULL && run->flags.save != NULL;
}

/* A number that the file has for this training, such as its "steps"; 0 where there is none. */
static double loaded_number(const Run *run, const char *label, const char *what) {
    char *name = name_of(run, label, what);
    const SafeArray *array = safetensors_find(&run->weights->loaded, name);
    double number = 0.0;
    if (array != NULL && safearray_count(array) == 1) {
        safearray_doubles(array, &number);
    }
    free(name);
    return isfinite(number) ? number : 0.0;
}

/* How many weights are nan or infinite. */
static double count_nonfinite(const Params *params) {
    double count = 0.0;
    for (size_t i = 0; i < params->size; i++) {
        count += !isfinite(params->data[i]);
    }
    return count;
}

/* Has the file any training of that name? */
static bool has_training(const SafeTensors *set, const char *name) {
    size_t length = strlen(name);
    for (int i = 0; i < set->count; i++) {
        if (strncmp(set->array[i].name, name, length) == 0 && set->array[i].name[length] == '/') {
            return true;
        }
    }
    return false;
}

static bool check_vocab(Run *run, const char *label, const char *side, const Vocab *vocab) {
    Error error = {""};
    char *name = name_of(run, label, side);
    bool ok = vocab == NULL ||
              vocab_agrees(&run->weights->loaded, run->flags.load, name, side, vocab, &error);
    if (!ok) {
        run_input_error(run, &error);
    }
    free(name);
    return ok;
}

/* A training may run away into nan, as one of lesson 04 does on purpose: then that is noted with
 * it. Any other nan got into the file later, and what is measured on such a model says nothing. */
static bool take(const Run *run, const Training *training, const char *name, Error *error) {
    const char *file = run->flags.load;
    if (!params_take(&run->weights->loaded, file, name, training->params, error)) {
        return false;
    }
    double noted = loaded_number(run, training->label, "not_finite");
    return count_nonfinite(training->params) <= noted ||
           error_set(error,
                     "%s: %s has weights that are nan or infinite, and nothing there says that its "
                     "training ended so",
                     file, name);
}

/* The weights of one training, all of them or an error. */
static void load(Run *run, const Training *training, const char *name) {
    Error error = {""};
    const SafeTensors *set = &run->weights->loaded;
    if (!has_training(set, name)) {
        const char *flags = safetensors_text(set, "flags");
        error_set(&error, "%s: it has no training \"%s\"; it was saved with the flags: %.120s",
                  run->flags.load, name, flags != NULL && *flags ? flags : "none");
        run_input_error(run, &error);
    } else if (check_vocab(run, training->label, "source", training->source) &&
               check_vocab(run, training->label, "target", training->target) &&
               !take(run, training, name, &error)) {
        Error whole = {""};
        error_set(&whole, "%s%s%s", error.text, *run->weights->other.text ? "; this run has " : "",
                  run->weights->other.text);
        run_input_error(run, &whole);
    }
}

bool training_loaded(Run *run, const Training *training) {
    if (run->weights != NULL) {
        begin_training(run, training->label);
    }
    if (!is_loading(run)) {
        return false;
    }
    char *name = name_of(run, training->label, "");
    if (!run_stopped(run)) {
        load(run, training, name);
    }
    free(name);
    if (loaded_number(run, training->label, "steps") < training->steps) {
        run_shortened(run);
    }
    training_keep(run, training);
    return true;
}

/* ---- keeping ---- */

static void keep_number(Run *run, const char *label, const char *what, double number) {
    char *name = name_of(run, label, what);
    CHECK(safetensors_put_doubles(&run->weights->kept, name, 1, &number), "out of memory");
    free(name);
}

void training_keep(Run *run, const Training *training) {
    if (!is_saving(run) || run_stopped(run)) {
        return;
    }
    SafeTensors *set = &run->weights->kept;
    char *name = name_of(run, training->label, "");
    bool ok = params_put(set, name, training->params);
    const Vocab *vocab[] = {training->source, training->target};
    for (int i = 0; i < 2; i++) {
        char *side = name_of(run, training->label, i == 0 ? "source" : "target");
        ok = ok && (vocab[i] == NULL || vocab_put(set, side, vocab[i]));
        free(side);
    }
    free(name);
    CHECK(ok, "out of memory");
    const char *label = training->label;
    keep_number(run, label, "steps",
                is_loading(run) ? loaded_number(run, label, "steps") : training->steps);
    double nonfinite = count_nonfinite(training->params);
    if (nonfinite > 0.0) {
        keep_number(run, label, "not_finite", nonfinite);
    }
}

int training_numbers(Run *run, const char *label, const char *what, double *values, int n,
                     int room) {
    if (run->weights == NULL || run_stopped(run)) {
        return n;
    }
    char *name = name_of(run, label, what);
    if (is_loading(run)) {
        const SafeArray *array = safetensors_find(&run->weights->loaded, name);
        bool fits = array != NULL && array->ndim == 1 && array->dim[0] <= (uint64_t)room &&
                    safearray_doubles(array, values);
        n = fits ? (int)array->dim[0] : 0;
        if (!fits) {
            Error error = {""};
            error_set(&error, "%s: there is no %s in it, or not as a list of at most %d F64",
                      run->flags.load, name, room);
            run_input_error(run, &error);
        }
    }
    if (is_saving(run) && !run_stopped(run)) {
        CHECK(safetensors_put_doubles(&run->weights->kept, name, n, values),
              "%s is there already, or out of memory", name);
    }
    free(name);
    return n;
}

/* ---- the file and its run ---- */

/* Does this option decide what the weights are of? Those of the lesson that its claims were judged
 * with, and three of all lessons. */
static bool matters(const Run *run, const char *name) {
    return strcmp(name, "seed") == 0 || strcmp(name, "quick") == 0 || strcmp(name, "break") == 0 ||
           word_in_list(run->lesson->judged_with, name);
}

/* Calls use(name, value) for each such option as it is in this run. */
static void each_option(Run *run, void (*use)(Run *run, const char *name, const char *value)) {
    Option table[FLAGS_MAX_OPTIONS];
    char value[FLAGS_TEXT_SIZE];
    int count = flags_table(run->lesson, &run->flags, table);
    for (int i = 0; i < count; i++) {
        if (matters(run, table[i].name)) {
            option_value_text(&table[i], value, sizeof value);
            use(run, table[i].name, value);
        }
    }
}

static void note_option(Run *run, const char *name, const char *value) {
    CHECK(safetensors_put_text(&run->weights->kept, name, value), "out of memory");
}

static void compare_option(Run *run, const char *name, const char *value) {
    const char *was = safetensors_text(&run->weights->loaded, name);
    if (was != NULL && strcmp(was, value) != 0 && !*run->weights->other.text) {
        error_set(&run->weights->other, "--%s %s, and the weights were saved with --%s %.60s", name,
                  value, name, was);
    }
}

static bool begin_loading(Run *run, Error *error) {
    SafeTensors *set = &run->weights->loaded;
    char here[64];
    if (!safetensors_read(run->flags.load, set, error)) {
        return false;
    }
    const char *lesson = safetensors_text(set, "lesson");
    snprintf(here, sizeof here, "%s_%s", run->lesson->number, run->lesson->name);
    if (lesson == NULL) {
        return error_set(error, "%s: not saved by a lesson: its metadata names none",
                         run->flags.load);
    }
    if (strcmp(lesson, here) != 0) {
        return error_set(error, "%s: saved by lesson %.60s, and this is %s", run->flags.load,
                         lesson, here);
    }
    each_option(run, compare_option);
    return true;
}

/* Refused before the training, not after it. */
static bool begin_saving(Run *run, Error *error) {
    const char *path = run->flags.save, *ending = strrchr(path, '.');
    AtomicFile file;
    if (ending == NULL || strcmp(ending, ".safetensors") != 0) {
        return error_set(error, "--save %s: the name must end in .safetensors", path);
    }
    bool ok = atomic_open(&file, path, error) != NULL;
    atomic_discard(&file);
    return ok;
}

static void describe(Run *run) {
    SafeTensors *set = &run->weights->kept;
    char text[512];
    snprintf(text, sizeof text, "%s_%s", run->lesson->number, run->lesson->name);
    bool ok = safetensors_put_text(set, "lesson", text);
    text[0] = '\0';
    for (int i = 1; i < run->argc; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i > 1 ? " " : "", run->argv[i]);
    }
    CHECK(ok && safetensors_put_text(set, "flags", text), "out of memory");
    each_option(run, note_option);
}

bool weights_begin(Run *run, Error *error) {
    if (run->flags.save == NULL && run->flags.load == NULL) {
        return true;
    }
    run->weights = check_alloc(sizeof *run->weights);
    if (run->flags.load != NULL && !begin_loading(run, error)) {
        return false;
    }
    if (run->flags.save != NULL) {
        describe(run);
    }
    return run->flags.save == NULL || begin_saving(run, error);
}

const char *weights_other(const Run *run) {
    return run->weights != NULL && *run->weights->other.text ? run->weights->other.text : NULL;
}

void weights_write(Run *run) {
    if (!is_saving(run) || run_stopped(run) || run->weights->kept.count == run->weights->written) {
        return;
    }
    Error error = {""};
    if (safetensors_write(&run->weights->kept, run->flags.save, &error)) {
        run->weights->written = run->weights->kept.count;
    } else {
        run_file_error(run, &error);
    }
}

void weights_end(Run *run) {
    if (is_saving(run) && run->weights->kept.count == 0 && !run_stopped(run) && !run->quit) {
        Error error = {""};
        error_set(&error, "%s: not written, because none of these steps trains a model",
                  run->flags.save);
        run_file_error(run, &error);
    }
}

void weights_free(Run *run) {
    if (run->weights != NULL) {
        safetensors_free(&run->weights->loaded);
        safetensors_free(&run->weights->kept);
        for (int i = 0; i < run->weights->begun_count; i++) {
            free(run->weights->begun[i]);
        }
        free(run->weights->begun);
        free(run->weights);
        run->weights = NULL;
    }
}
