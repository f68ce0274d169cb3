/* Memory for what is large: blocks of an arena, parameters.
 *
 * The first touch of each page of new memory costs a trip into the system, and each page takes a
 * place in the processor's table of addresses. Large pages (2 MiB instead of 4 KiB, where the
 * system has them) need 512 times fewer of both. */
#ifndef CORE_PAGES_H
#define CORE_PAGES_H

#include <stddef.h>

/* At least `bytes` bytes, aligned to a cache line, contents unspecified; NULL when there is no
 * memory left. Give it back with free(). */
void *pages_new(size_t bytes);

#endif
