#include "grade/items.h"

#include <string.h>

enum { MARK = 0x6d657469, NUMBERS_MOST = 1 << 22 };

typedef struct Head {
    uint32_t mark, count;
} Head;

typedef struct ItemHead {
    unsigned char bytes[ITEM_NAME + (2 + ITEM_DIMS) * sizeof(uint32_t)];
} ItemHead;

size_t item_size(const Item *item) {
    size_t n = 1;
    for (uint32_t i = 0; i < item->ndim && i < ITEM_DIMS; i++) {
        n *= item->dim[i];
    }
    return n;
}

const Item *items_find(const Items *items, const char *name) {
    for (int i = 0; i < items->count; i++) {
        if (strcmp(items->item[i].name, name) == 0) {
            return &items->item[i];
        }
    }
    return NULL;
}

bool items_add(Items *items, const char *name, ItemKind kind, int ndim, const int *dim,
               const void *numbers) {
    if (items->count == ITEMS_MOST || ndim > ITEM_DIMS || strlen(name) >= ITEM_NAME) {
        return false;
    }
    Item *item = &items->item[items->count++];
    *item = (Item){.kind = kind, .ndim = (uint32_t)ndim, .numbers = numbers};
    strcpy(item->name, name);
    for (int i = 0; i < ndim; i++) {
        item->dim[i] = (uint32_t)dim[i];
    }
    return true;
}

size_t items_bytes(const Items *items) {
    size_t bytes = sizeof(Head);
    for (int i = 0; i < items->count; i++) {
        bytes += sizeof(ItemHead) + 4 * item_size(&items->item[i]);
    }
    return bytes;
}

void items_write(const Items *items, unsigned char *to) {
    Head head = {MARK, (uint32_t)items->count};
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int i = 0; i < items->count; i++) {
        const Item *item = &items->item[i];
        memcpy(to, item, sizeof(ItemHead)); /* name, kind, ndim, dim: the first fields */
        to += sizeof(ItemHead);
        memcpy(to, item->numbers, 4 * item_size(item));
        to += 4 * item_size(item);
    }
}

/* The fields of one item are those of somebody who may mean harm. */
static bool item_is_sound(const Item *item) {
    uint64_t n = 1;
    if (memchr(item->name, '\0', ITEM_NAME) == NULL || item->kind > ITEM_FLOATS ||
        item->ndim > ITEM_DIMS) {
        return false;
    }
    for (uint32_t i = 0; i < item->ndim; i++) {
        if (item->dim[i] > NUMBERS_MOST) {
            return false;
        }
        n *= item->dim[i];
        if (n > NUMBERS_MOST) {
            return false;
        }
    }
    return true;
}

size_t items_read(Items *items, const unsigned char *bytes, size_t size) {
    Head head;
    size_t at = sizeof head;
    items->count = 0;
    if (size < sizeof head) {
        return 0;
    }
    memcpy(&head, bytes, sizeof head);
    if (head.mark != MARK || head.count > ITEMS_MOST) {
        return 0;
    }
    for (uint32_t i = 0; i < head.count; i++) {
        Item *item = &items->item[i];
        if (size - at < sizeof(ItemHead)) {
            return 0;
        }
        memset(item, 0, sizeof *item);
        memcpy(item, bytes + at, sizeof(ItemHead));
        at += sizeof(ItemHead);
        if (!item_is_sound(item) || (size - at) / 4 < item_size(item)) {
            return 0;
        }
        item->numbers = bytes + at;
        at += 4 * item_size(item);
        items->count++;
    }
    return at;
}
