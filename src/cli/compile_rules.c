/* compile-rules RULES_DIR OUT DESCRIPTORS: checks a folder of rules, runs every example in it and
 * writes the image that the program carries, and its descriptors alone. Part of the build. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"

static int write_file(const char *path, const void *data, size_t size, struct error *err)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return error_set(err, -errno, "%s: %s", path, strerror(errno));
    bool written = fwrite(data, 1, size, file) == size;
    if (fclose(file) != 0 || !written) {
        remove(path); /* half an image would pass for a whole one */
        return error_set(err, -EIO, "%s: cannot write", path);
    }
    return 0;
}

static int compile(struct engine *engine, const char *dir, const char *out, const char *descriptors,
                   struct error *err)
{
    unsigned char *image = NULL;
    size_t size = 0, examples = 0;
    int code = engine_load_dir(engine, dir, err);
    if (!code)
        code = engine_run_examples(engine, NULL, &examples, err);
    if (!code)
        code = engine_save_image(engine, &image, &size, err);
    if (!code)
        code = write_file(out, image, size, err);
    CLEANUP_TEXT struct text bare = {0};
    if (!code)
        engine_save_descriptors(engine, &bare);
    if (!code)
        code = write_file(descriptors, text_get(&bare), bare.length, err);
    sqlite3_free(image);
    if (!code)
        printf("%zu rules, %zu examples, %zu bytes\n", engine_rule_count(engine), examples, size);
    return code;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    struct engine *engine = NULL;
    if (argc != 4) {
        fputs("usage: compile-rules RULES_DIR OUT DESCRIPTORS\n", stderr);
        return 2;
    }
    int code = engine_open_empty(&engine, &err);
    if (!code)
        code = compile(engine, argv[1], argv[2], argv[3], &err);
    if (code)
        fprintf(stderr, "%s\n", err.text);
    engine_free(engine);
    return code ? 1 : 0;
}
