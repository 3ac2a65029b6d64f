/* What stands inside a message of the kernel's log. */
#ifndef PARSE_NVIDIA_LOG_TEXT_H
#define PARSE_NVIDIA_LOG_TEXT_H

#include "base/arena.h"
#include "base/opt.h"
#include "base/span.h"
#include "base/text.h"

/* Whether the line, without what stands before the kernel's words, is one that is known (among
 * them those that are left out). */
bool log_is_message(struct span line);

/* Takes out names of programs and process ids: "pid=123, name=python, ", "the client 'x' (pid 1)",
 * the program before "unsigned module loading"; and what names one GPU among all: serial
 * numbers, board numbers and UUIDs. */
void log_drop_names(struct text *text);

/* N of "Xid (PCI:0000:01:00): N, " and of "SXid (...): N, ". */
struct opt log_xid(const char *text);

/* The first device in the text: "0000:01:00.0", or "PCI:0000:01:00" and "[01:00.0]" as that. NULL
 * where there is none. */
char *log_pci_address(const char *text, struct arena *arena);

/* The text with every word that holds a digit as '#'. */
char *log_fold(const char *text, struct arena *arena);

#endif
