/* Which environment variables may become facts. */
#ifndef SYSTEM_ENV_ALLOWED_H
#define SYSTEM_ENV_ALLOWED_H

#include <stdbool.h>

/* True for a name on the allow-list that does not look like a secret's. */
bool env_allowed(const char *name);
/* A word of the name is one that secrets bear: TOKEN, API_KEY, PASSWORD, ... */
bool env_secret(const char *name);

#endif
