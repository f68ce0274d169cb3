#include "core/arena.h"

#include "core/check.h"

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
    ArenaBlock *older;
    size_t size; /* bytes in `memory` */
    size_t used;
    unsigned char *memory;
};

enum { FIRST_BLOCK = 1 << 20 };

static size_t round_up(size_t bytes) {
    return (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

static ArenaBlock *block_new(size_t size, ArenaBlock *older) {
    ArenaBlock *block = check_alloc(sizeof *block);
    block->memory = aligned_alloc(ARENA_ALIGNMENT, size);
    CHECK(block->memory != NULL, "out of memory: an arena block of %zu bytes", size);
    block->size = size;
    block->older = older;
    POISON(block->memory, size);
    return block;
}

static void block_free(ArenaBlock *block) {
    UNPOISON(block->memory, block->size);
    free(block->memory);
    free(block);
}

Arena arena_new(void) {
    return (Arena){0};
}

void *arena_alloc(Arena *arena, size_t bytes) {
    CHECK(bytes < SIZE_MAX / 4, "arena: %zu bytes cannot be allocated", bytes);
    size_t need = round_up(bytes > 0 ? bytes : 1);
    ArenaBlock *block = arena->block;
    if (block == NULL || block->size - block->used < need) {
        size_t size = block == NULL ? FIRST_BLOCK : 2 * block->size;
        block = arena->block = block_new(size > need ? size : need, block);
    }
    void *memory = block->memory + block->used;
    block->used += need;
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
    if (arena->block != NULL && arena->block->older != NULL) {
        size_t peak = arena->peak;
        arena_free(arena);
        arena->block = block_new(round_up(peak), NULL);
        arena->peak = peak;
    }
    arena->used = 0;
    if (arena->block != NULL) {
        arena->block->used = 0;
        POISON(arena->block->memory, arena->block->size);
    }
}

void arena_free(Arena *arena) {
    while (arena->block != NULL) {
        ArenaBlock *older = arena->block->older;
        block_free(arena->block);
        arena->block = older;
    }
    *arena = arena_new();
}
