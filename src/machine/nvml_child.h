/* The side of the conversation that runs in the child: loads NVML and asks it. */
#ifndef MACHINE_NVML_CHILD_H
#define MACHINE_NVML_CHILD_H

/* `context` is the library's name (const char *), or NULL for the usual one and where WSL2, NixOS
 * and GKE keep it. Writes records of nvml_wire.h to `fd`; returns the exit status. */
int nvml_child_run(int fd, void *context);

#endif
