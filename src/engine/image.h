/* The image of rules/ that the build made; assembled in by image.S. */
#ifndef ENGINE_IMAGE_H
#define ENGINE_IMAGE_H

extern const unsigned char gd_rules_image[], gd_rules_image_end[];
extern const unsigned char gd_descriptors[], gd_descriptors_end[]; /* for engine_open_bare() */

#endif
