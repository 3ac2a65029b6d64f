/* The rules as one SQLite database, and the descriptors alone: read-only data of the program. */
    .section .rodata
    .balign 16
    .global gd_rules_image
    .hidden gd_rules_image
    .type gd_rules_image, %object
gd_rules_image:
    .incbin "rules.sqlite"
    .size gd_rules_image, . - gd_rules_image
    .global gd_rules_image_end
    .hidden gd_rules_image_end
gd_rules_image_end:
    .byte 0
    .global gd_descriptors
    .hidden gd_descriptors
    .type gd_descriptors, %object
gd_descriptors:
    .incbin "descriptors.bin"
    .size gd_descriptors, . - gd_descriptors
    .global gd_descriptors_end
    .hidden gd_descriptors_end
gd_descriptors_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
