/* Reading from a place in a file that is open. */
#ifndef BASE_READ_H
#define BASE_READ_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Fills the buffer as far as the file goes: the number of bytes (less than `size` only at the end
 * of the file), or a negative errno. A signal or a short read does not cut it. */
ssize_t read_at(int fd, void *buffer, size_t size, uint64_t offset);

#endif
