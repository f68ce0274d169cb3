/* Linking the workers: a small program for the checks of one unit, the library's or a lesson's. */
#include "core/check.h"
#include "grade/build.h"
#include "grade/folders.h"
#include "grade/inspect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The compiler (without its flags), objects, and what is said to the linker. */
typedef struct LinkArgs {
    const char *argv[48];
    char text[24][600];
    int count, texts;
} LinkArgs;

static void put(LinkArgs *args, const char *word) {
    CHECK(args->count < 47, "too many words for the linker");
    args->argv[args->count++] = word;
    args->argv[args->count] = NULL;
}

/* The object of a source: in the scratch folder, or, with a root, in that folder. */
static void put_object(LinkArgs *args, const char *root, const char *source) {
    CHECK(args->texts < 24, "too many objects for the linker");
    char *text = args->text[args->texts++], object[256];
    if (root == NULL) {
        build_object_path(source, ".o", object);
        snprintf(text, 600, "%s", object);
    } else {
        snprintf(text, 600, "%.400s/%.*s.o", root, (int)strlen(source) - 2, source);
    }
    put(args, text);
}

static void link_args(LinkArgs *args, const Build *b, const Tree *tree, const char *unit,
                      const char *root, const char *checks, const char *library, const char *out) {
    int lesson = atoi(unit), first_lesson = WORKER_FILES - WORKER_LESSONS;
    enum { ITEMS, CALL };
    args->count = args->texts = 0;
    for (int i = 0; i < b->compiler; i++) {
        put(args, b->word[i]);
    }
    for (int i = 0; i < b->link_words; i++) {
        put(args, b->link_word[i]);
    }
    put(args, checks);
    for (int i = 0; i < WORKER_FILES; i++) {
        if (i <= CALL || (root != NULL && (i < first_lesson || i == first_lesson + lesson - 1))) {
            put_object(args, root, build_worker_files[i]);
        }
    }
    if (root == NULL) {
        put(args, "../obj/workers.a");
    }
    if (lesson > 0) {
        char source[200];
        snprintf(source, sizeof source, "lessons/%.100s.c", unit);
        put_object(args, root, source);
    }
    for (int i = 0; tree != NULL && i < tree->sources; i++) {
        if (tree->source[i].alone) {
            put_object(args, root, tree->source[i].path);
        }
    }
    put(args, library);
    put(args, "-Wl,--gc-sections");
    put(args, "-lm");
    put(args, "-o");
    put(args, out);
}

/* The table of what a worker can be asked for (calls/call.h), as a C file that includes nothing. */
static bool write_checks(const char *path, const Check *const *checks, int count, Error *error) {
    AtomicFile file;
    FILE *out = atomic_open(&file, path, error);
    if (out == NULL) {
        return false;
    }
    fputs("struct Call;\n", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "void check_%s(struct Call *);\n", checks[i]->function);
    }
    fputs("const struct { const char *name; void (*check)(struct Call *); } worker_checks[] = {\n",
          out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "    {\"%s\", check_%s},\n", checks[i]->function, checks[i]->function);
    }
    fputs("    {0, 0}};\n", out);
    return atomic_commit(&file, error) && (chmod(path, 0644) == 0 || error_set(error, "%s", path));
}

bool build_worker(Build *build, const Tree *tree, const Check *const *checks, int count,
                  char program[600], char why[400]) {
    LinkArgs args;
    char table[700], out[256];
    const char *name = count == 1 ? checks[0]->function : checks[0]->unit;
    Error error;
    SandboxRun run;
    if (!build_has_time(build)) {
        snprintf(why, 400, "not linked: what was built before it took too long");
        return false;
    }
    snprintf(table, sizeof table, "%s/tree/checks.c", build->scratch);
    snprintf(out, sizeof out, "../obj/worker_%s", name);
    snprintf(program, 600, "%.500s/obj/worker_%.80s", build->scratch, name);
    link_args(&args, build, tree, checks[0]->unit, NULL, "checks.c", "../obj/library.a", out);
    if (!write_checks(table, checks, count, &error) || !build_run(build, args.argv, &run, &error)) {
        snprintf(why, 400, "%.390s", error.text);
        return false;
    }
    bool fine = run.ended == NULL && run.status == 0 && access(program, R_OK) == 0;
    if (!fine) {
        inspect_link_error(run.said, build->scratch, tree, why, 400);
    }
    sandbox_free(&run);
    return fine;
}

void build_reference_path(const Build *build, const char *unit, char program[600]) {
    snprintf(program, 600, "%.500s/workers/%.60s", build->graded, unit);
}

/* Our own files, in folders whose names we may be given: quoted, but without a sandbox. */
static bool run_here(const LinkArgs *args) {
    char *command = NULL;
    size_t size;
    FILE *line = open_memstream(&command, &size);
    CHECK(line != NULL, "out of memory");
    for (int i = 0; i < args->count; i++) {
        fputc('\'', line);
        for (const char *c = args->argv[i]; *c != '\0'; c++) {
            fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, line);
        }
        fputs("' ", line);
    }
    fclose(line);
    int status = system(command);
    free(command);
    return status == 0;
}

bool build_reference(const Build *build, const ExerciseTable *table, const char *unit,
                     Error *error) {
    LinkArgs args;
    const Check *checks[CHECKS_MOST];
    char program[600], list[620], library[600];
    int count = 0;
    for (int c = 0; c < table->checks; c++) {
        if (strcmp(table->check[c].unit, unit) == 0) {
            checks[count++] = &table->check[c];
        }
    }
    build_reference_path(build, unit, program);
    snprintf(list, sizeof list, "%s.c", program);
    snprintf(library, sizeof library, "%s/library.a", build->graded);
    if (!folder_of_file_make(program, error) || !write_checks(list, checks, count, error)) {
        return false;
    }
    link_args(&args, build, NULL, unit, build->graded, list, library, program);
    return run_here(&args) || error_set(error, "the worker of %s cannot be built", unit);
}
