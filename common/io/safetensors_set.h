/* For safetensors*.c alone: what they share. */
#ifndef IO_SAFETENSORS_SET_H
#define IO_SAFETENSORS_SET_H

#include "io/safetensors.h"

/* Appends an array whose name the set takes over; false when memory runs out. */
bool safetensors_add(SafeTensors *set, SafeArray array);

/* Puts the arrays in order of their names, for safetensors_find(). */
void safetensors_sort(SafeTensors *set);

/* A list with room for one more element of `size` bytes; NULL (and the list as it was) when memory
 * runs out. */
void *safetensors_grow(void *list, int count, int *room, size_t size);

/* Bits of one number of that dtype; 0 for one that is unknown. The name itself goes to `*dtype`. */
int safetensors_bits(const char *name, const char **dtype);

#endif
