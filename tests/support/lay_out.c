/* lay-out MANIFEST DIR: lays a recorded machine out, for a look at it or for `check --root`. */
#include <stdio.h>

#include "manifest.h"

int main(int argc, char **argv)
{
    struct error err = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: lay-out MANIFEST DIR\n");
        return 2;
    }
    if (tree_lay_out(argv[1], argv[2], &err) < 0) {
        fprintf(stderr, "lay-out: %s\n", err.text);
        return 1;
    }
    return 0;
}
