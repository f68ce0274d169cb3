#include "core/pages.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LINE = 64, LARGE_PAGE = 1 << 21 };

static size_t round_up(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

void *pages_new(size_t bytes) {
    if (bytes >= SIZE_MAX / 4) { /* no machine has so much, and rounding up would overflow */
        return NULL;
    }
    size_t alignment = bytes >= LARGE_PAGE ? LARGE_PAGE : LINE;
    size_t size = round_up(bytes > 0 ? bytes : 1, alignment);
    void *memory = aligned_alloc(alignment, size);
#ifdef MADV_HUGEPAGE
    if (memory != NULL && alignment == LARGE_PAGE) {
        (void)madvise(memory, size, MADV_HUGEPAGE); /* a wish: it does no harm when not granted */
    }
#endif
    return memory;
}
