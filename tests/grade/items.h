/* What the judge and a worker send each other: named arrays of numbers, in plain bytes.
 *
 * A message is 8 bytes (a mark and the number of items), then the items: name, kind, shape and 4
 * bytes for each number. Both ends run on one machine and know the layout; the judge believes
 * nothing of what it reads: items_read() checks every length. */
#ifndef GRADE_ITEMS_H
#define GRADE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ITEMS_MOST = 24, ITEM_NAME = 16, ITEM_DIMS = 4 };

typedef enum ItemKind { ITEM_INTS, ITEM_FLOATS } ItemKind;

typedef struct Item {
    char name[ITEM_NAME];
    uint32_t kind, ndim; /* ndim 0: a single number */
    uint32_t dim[ITEM_DIMS];
    union { /* as many as the shape says */
        const int32_t *ints;
        const float *floats;
        const void *numbers;
    };
} Item;

typedef struct Items {
    Item item[ITEMS_MOST];
    int count;
} Items;

/* Numbers in an item. */
size_t item_size(const Item *item);

/* The item of that name, or NULL. */
const Item *items_find(const Items *items, const char *name);

/* Adds one; the numbers are not copied. False when there are too many already. */
bool items_add(Items *items, const char *name, ItemKind kind, int ndim, const int *dim,
               const void *numbers);

/* Bytes that items_write() needs, and the writing. */
size_t items_bytes(const Items *items);
void items_write(const Items *items, unsigned char *to);

/* Reads one message from the front of `bytes`, whose numbers it points into (4-byte aligned).
 * Returns how long it is, 0 when it is not whole or not one. */
size_t items_read(Items *items, const unsigned char *bytes, size_t size);

#endif
