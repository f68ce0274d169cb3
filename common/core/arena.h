/* An arena: memory that is handed out piece by piece and taken back all at once.
 *
 * One training step makes hundreds of small tensors and needs none of them afterwards. An arena
 * turns their allocation into an addition and their release into one assignment. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stddef.h>

enum { ARENA_ALIGNMENT = 64 }; /* a cache line, and the widest vector we use */

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *first; /* of the chain */
    ArenaBlock *block; /* the one the next piece comes from */
    size_t block_used; /* bytes of it */
    size_t peak;       /* bytes: the most that was ever in use between two resets */
    size_t used;       /* bytes in use now, padding included */
} Arena;

/* An empty arena; its first block is made on first use. */
Arena arena_new(void);

/* `bytes` bytes, aligned to ARENA_ALIGNMENT, contents unspecified, valid until the next
 * arena_reset. Grows as needed; running out of memory is an error. */
void *arena_alloc(Arena *arena, size_t bytes);

/* The same, filled with zeros. */
void *arena_alloc_zeroed(Arena *arena, size_t bytes);

/* Takes everything back, but keeps the memory: the same requests again get the same places, so
 * from the second step of a training on nothing is allocated any more. Each block is twice the
 * last, so an arena may hold several times its peak; what is never touched costs address space
 * only. */
void arena_reset(Arena *arena);

/* Gives the memory back to the system. */
void arena_free(Arena *arena);

#endif
