/* Framework descriptors: data that comes out of the rules and goes into the framework probe. */
#ifndef FACTS_DESCRIPTOR_H
#define FACTS_DESCRIPTOR_H

/* Borrowed from whoever loaded the rules. */
struct descriptor {
    const char *file; /* for messages: "frameworks/torch.json" */
    const char *json; /* checked when it was loaded */
};

#endif
