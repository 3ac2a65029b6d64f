/* The rules as one SQLite database, read-only data of the program. */
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
    .section .note.GNU-stack, "", %progbits
