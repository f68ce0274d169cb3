/* A look at what the compiler and the linker made of untrusted text. */
#ifndef GRADE_INSPECT_H
#define GRADE_INSPECT_H

#include "grade/tree.h"

typedef struct InspectFolders {
    const char *tree;          /* SCRATCH of build.h: its tree/ may be read */
    const char (*system)[256]; /* and these */
    int systems;
} InspectFolders;

/* The line of a compiler's output that says what is wrong, made fit to be shown; `ended` is why it
 * was ended, or NULL. */
void inspect_first_error(const char *said, const char *ended, char *why, size_t size);

/* Did the compiler, by its own list (-MD) in file `path`, read only what it may? If not, `why` says
 * which file of `source` it was. */
bool inspect_depends(const char *path, const InspectFolders *folders, const char *source, char *why,
                     size_t size);

/* Is there nothing in the assembler text that reads files or builds directives of pieces? */
bool inspect_assembler(const char *path, const char *source, char *why, size_t size);

/* Did the assembler, by its own list (--MD) in file `path`, read nothing but `assembler`?
 * Directives can be written so that no search finds them; what they have read stands in that list,
 * beside the name of the source (.file). */
bool inspect_assembled(const char *path, const char *assembler, const char *source, char *why,
                       size_t size);

/* Why a worker could not be linked: the error of the file that has what is missing, or the name. */
void inspect_link_error(const char *said, const char *scratch, const Tree *tree, char *why,
                        size_t size);

#endif
