/* Building a student's files with the instructor's compiler, flags and checks.
 *
 * The compiler reads untrusted text: it runs under limits, and what it has read is looked at before
 * anything is made of it. A file that includes one from outside of the student's own tree and the
 * compiler's own headers is refused (it could include the solution), and so is assembler that
 * brings in files (.incbin) or hides what it does (.macro). */
#ifndef GRADE_BUILD_H
#define GRADE_BUILD_H

#include "grade/sandbox.h"
#include "grade/exercise_table.h"
#include "grade/tree.h"

#include <sys/types.h>

enum { WORDS_MOST = 48, FOLDERS_MOST = 16 };

typedef struct Build {
    char own[512];          /* the instructor's project */
    char graded[512];       /* its objects, compiled for grading: build/graded */
    char scratch[512];      /* tree/ the student's files, obj/ what is made of them */
    char *command;          /* text that `word` points into */
    char *word[WORDS_MOST]; /* the compiler and its flags; ended by NULL */
    int words, compiler;    /* compiler: how many of them come before the flags */
    char *link_flags, *link_word[WORDS_MOST];
    int link_words;
    char system[FOLDERS_MOST][256]; /* folders of the compiler's own headers */
    int systems;
    double used;     /* seconds that compilers and linkers have computed so far */
    long bytes;      /* of the objects made so far */
    mode_t old_mask; /* for new files; while building others may read them */
} Build;

/* Reads what the Makefile left in `graded` and makes an empty scratch folder. */
bool build_begin(Build *build, const char *own, const char *graded, Error *error);
/* Removes the scratch folder. */
void build_end(Build *build);

/* Compiles whatever of the tree is not the instructor's, and puts all objects side by side. What
 * does not compile is noted in the tree; false only when building as such is impossible. */
bool build_tree(Build *build, Tree *tree, Error *error);

/* Compiles one source of the tree (again): its object is linked in place of the one in the library,
 * or, when it does not compile, there is none. */
bool build_source(Build *build, Source *source, Error *error);

/* Links a worker that knows some checks, all of one unit; `program` becomes its path. False with
 * one line about why not, for the student: "common/nn/beam.c:12: error: ..". */
bool build_worker(Build *build, const Tree *tree, const Check *const *checks, int count,
                  char program[600], char why[400]);

/* The instructor's own worker of a unit, with all its checks, to graded/workers/. */
bool build_reference(const Build *build, const ExerciseTable *table, const char *unit,
                     Error *error);

/* Where build_reference() put it. */
void build_reference_path(const Build *build, const char *unit, char program[600]);

/* What building and linking share: the running of a compiler or linker in the student's tree, its
 * time counted; whether the submission has any left; where in the scratch folder the object of a
 * source is ("common/nn/beam.c" -> "../obj/common+nn+beam" and the ending, as seen from tree/); the
 * limits of compiler and linker; and the workers' own sources, those of the lessons last. */
bool build_run(Build *build, const char *const *argv, SandboxRun *run, Error *error);
bool build_has_time(const Build *build);
void build_object_path(const char *path, const char *ending, char out[256]);
extern const SandboxLimits build_limits;
enum { WORKER_LESSONS = 7, WORKER_FILES = 8 + WORKER_LESSONS };
extern const char *const build_worker_files[];

#endif
