/* Runs a fuzz target over the files of its corpus folders: the ordinary test of a parser. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    size_t capacity = 1 << 20, size;
    uint8_t *data = malloc(capacity);
    size = data ? fread(data, 1, capacity, file) : 0;
    fclose(file);
    /* an exact-size copy, so that a read past the end is seen */
    uint8_t *exact = malloc(size ? size : 1);
    if (exact && data)
        memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            char path[4096];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (replay_file(path) == 0)
                passed++;
            else
                failed++;
        }
        if (dir)
            closedir(dir);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed; /* a target without a corpus proves nothing */
}
