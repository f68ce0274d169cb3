/* Every file of reference values in a folder is a test: `make check-golden GOLDEN_DIR=folder`. */
#include "support/golden_kinds.h"

#include <limits.h>

int main(int argc, char **argv) {
    char folder[PATH_MAX];
    golden_folder(argc > 0 ? argv[0] : "", folder, sizeof folder);
    return golden_run_folder(folder) > 0; /* the number itself might be 256, which reads as 0 */
}
