/*
 * Linked into the static program, so that it runs with a glibc older than the one it was built
 * with. The archives of a distribution refer to functions of its own glibc; what is defined here
 * is not asked of libc.so.6 any more:
 *   arc4random_buf, arc4random         glibc 2.36, from libexpat.a of Debian 12
 *   __isoc23_strtol and its relatives  glibc 2.38, from whatever was compiled on Ubuntu 24.04
 *   fmod                               glibc 2.38 has a new one, for SQLite's mod() there
 * What remains is glibc 2.34 (the start of the program itself, threads, dlopen).
 */
#undef _GNU_SOURCE /* with it the headers of glibc 2.38 turn strtol into __isoc23_strtol */
#define _DEFAULT_SOURCE 1

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void arc4random_buf(void *buffer, size_t size);
uint32_t arc4random(void);
long __isoc23_strtol(const char *text, char **end, int base);
unsigned long __isoc23_strtoul(const char *text, char **end, int base);
long long __isoc23_strtoll(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base);
int __isoc23_sscanf(const char *text, const char *format, ...);
double fmod(double x, double y);
double first_fmod(double x, double y);

/* the version that every glibc of this architecture has */
#if defined __x86_64__
__asm__(".symver first_fmod, fmod@GLIBC_2.2.5");
#elif defined __aarch64__
__asm__(".symver first_fmod, fmod@GLIBC_2.17");
#endif

void arc4random_buf(void *buffer, size_t size)
{
    unsigned char *next = buffer;
    while (size > 0) {
        ssize_t got = getrandom(next, size, 0);
        if (got < 0 && errno != EINTR)
            abort(); /* the caller cannot be told; getrandom is older than every glibc we run on */
        if (got > 0) {
            next += got;
            size -= (size_t)got;
        }
    }
}

uint32_t arc4random(void)
{
    uint32_t number;
    arc4random_buf(&number, sizeof number);
    return number;
}

long __isoc23_strtol(const char *text, char **end, int base)
{
    return strtol(text, end, base);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base)
{
    return strtoul(text, end, base);
}

long long __isoc23_strtoll(const char *text, char **end, int base)
{
    return strtoll(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
    return strtoull(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}

#if defined __x86_64__ || defined __aarch64__
double fmod(double x, double y)
{
    return first_fmod(x, y);
}
#endif
