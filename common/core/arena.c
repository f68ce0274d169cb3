#include "core/arena.h"

#include "core/check.h"
#include "core/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Under the address sanitizer, memory that the arena has taken back is poisoned: a tensor that is
 * used after its step is over is then caught like any other use after free. */
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISON 1
#endif
#endif

#ifdef ARENA_POISON
void __asan_poison_memory_region(void const volatile *address, size_t size);
void __asan_unpoison_memory_region(void const volatile *address, size_t size);
#define POISON(address, size) __asan_poison_memory_region(address, size)
#define UNPOISON(address, size) __asan_unpoison_memory_region(address, size)
#else
#define POISON(address, size) ((void)(address), (void)(size))
#define UNPOISON(address, size) ((void)(address), (void)(size))
#endif

struct ArenaBlock {
    ArenaBlock *next;
    size_t size; /* bytes in `memory` */
    unsigned char *memory;
};

enum { FIRST_BLOCK = 1 << 20 };

static size_t round_up(size_t bytes) {
    return (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

static ArenaBlock *block_new(size_t size) {
    ArenaBlock *block = check_alloc(sizeof *block);
    block->memory = pages_new(size);
    CHECK(block->memory != NULL, "out of memory: an arena block of %zu bytes", size);
    block->size = size;
    POISON(block->memory, size);
    return block;
}

Arena arena_new(void) {
    return (Arena){0};
}

/* The next block, behind the current one, that has room for so many bytes; a new one at the end of
 * the chain, twice as large as the last, when there is none. */
static void next_block(Arena *arena, size_t need) {
    size_t twice = FIRST_BLOCK;
    ArenaBlock **link = arena->block == NULL ? &arena->first : &arena->block->next;
    for (; *link != NULL && (*link)->size < need; link = &(*link)->next) {
        twice = 2 * (*link)->size;
    }
    if (*link == NULL) {
        if (arena->block != NULL && 2 * arena->block->size > twice) {
            twice = 2 * arena->block->size;
        }
        *link = block_new(twice > need ? twice : need);
    }
    arena->block = *link;
    arena->block_used = 0;
}

void *arena_alloc(Arena *arena, size_t bytes) {
    CHECK(bytes < SIZE_MAX / 4, "arena: %zu bytes cannot be allocated", bytes);
    size_t need = round_up(bytes > 0 ? bytes : 1);
    if (arena->block == NULL || arena->block->size - arena->block_used < need) {
        next_block(arena, need);
    }
    void *memory = arena->block->memory + arena->block_used;
    arena->block_used += need;
    arena->used += need;
    if (arena->used > arena->peak) {
        arena->peak = arena->used;
    }
    UNPOISON(memory, bytes);
    return memory;
}

void *arena_alloc_zeroed(Arena *arena, size_t bytes) {
    return memset(arena_alloc(arena, bytes), 0, bytes);
}

void arena_reset(Arena *arena) {
    arena->block = arena->first;
    arena->block_used = 0;
    arena->used = 0;
    for (ArenaBlock *block = arena->first; block != NULL; block = block->next) {
        POISON(block->memory, block->size);
    }
}

void arena_free(Arena *arena) {
    for (ArenaBlock *block = arena->first, *next = NULL; block != NULL; block = next) {
        next = block->next;
        UNPOISON(block->memory, block->size);
        free(block->memory);
        free(block);
    }
    *arena = arena_new();
}
