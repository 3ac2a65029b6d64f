/* The version that a library's file name states. */
#ifndef LIBRARY_NAME_VERSION_H
#define LIBRARY_NAME_VERSION_H

/* "9.5.1" of ".../libcudnn.so.9.5.1", part of `path`: at least two numbers, and nothing else; else
 * NULL. */
const char *version_in_name(const char *path);

#endif
