#include "probe_tree.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_icd, .init = start, .fini = finish);

static void run(void)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_put(&tree, "/.record/user", "ann 1000 1000\n");
    tree_open(&tree);
    tree_run(&tree, &probe_icd);
}

/* As the probe of the loader's cache leaves it. */
static void run_with_cache(void)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_open(&tree);
    probe_note(&tree.context, "loader_cache", NULL, "/etc/ld.so.cache", 0, "loader_cache", NULL);
    facts_add_loader_cache(tree.facts, &(struct row_loader_cache){
                                           .position = known(1),
                                           .soname = "libEGL_mesa.so.0",
                                           .path = "/usr/lib/x86_64-linux-gnu/libEGL_mesa.so.0",
                                           .arch = "x86_64",
                                           .present = known(1),
                                       });
    tree_run(&tree, &probe_icd);
}

static const char all_rows[] =
    "SELECT api, vendor, library, library_path, path FROM icd ORDER BY api, path";

Test(probe_icd, desktop)
{
    tree_put(&tree, "/etc/OpenCL/vendors/nvidia.icd", "libnvidia-opencl.so.1\n");
    tree_put(&tree, "/etc/OpenCL/vendors/README", "x\n");
    tree_put(
        &tree, "/usr/share/glvnd/egl_vendor.d/10_nvidia.json",
        "{\"file_format_version\":\"1.0.0\",\"ICD\":{\"library_path\":\"libEGL_nvidia.so.0\"}}");
    tree_put(&tree, "/usr/share/egl/egl_external_platform.d/15_nvidia_gbm.json",
             "{\"ICD\":{\"library_path\":\"libnvidia-egl-gbm.so.1\"}}");
    tree_put(
        &tree, "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
        "{\"ICD\":{\"api_version\":\"1.3\",\"library_path\":\"/usr/lib/libvulkan_radeon.so\"}}");
    tree_put(&tree, "/home/ann/.local/share/vulkan/icd.d/my.json",
             "{\"ICD\":{\"library_path\":\"../lib/libmy.so\"}}");
    tree_elf(&tree, "/usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.1", 62);
    tree_elf(&tree, "/usr/lib/libEGL_nvidia.so.0", 3);
    tree_put(&tree, "/usr/lib/x86_64-linux-gnu/gbm/nvidia-drm_gbm.so", "");
    tree_link(&tree, "/usr/lib/x86_64-linux-gnu/gbm/dri_gbm.so", "gone.so");
    run();
    expect_rows(
        &tree, all_rows,
        "egl|nvidia|libEGL_nvidia.so.0|~|/usr/share/glvnd/egl_vendor.d/10_nvidia.json\n"
        "egl-platform|nvidia|libnvidia-egl-gbm.so.1|~|"
        "/usr/share/egl/egl_external_platform.d/15_nvidia_gbm.json\n"
        "gbm|mesa|dri_gbm.so|none|/usr/lib/x86_64-linux-gnu/gbm/dri_gbm.so\n"
        "gbm|nvidia|nvidia-drm_gbm.so|/usr/lib/x86_64-linux-gnu/gbm/nvidia-drm_gbm.so|"
        "/usr/lib/x86_64-linux-gnu/gbm/nvidia-drm_gbm.so\n"
        "opencl|nvidia|libnvidia-opencl.so.1|/usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.1|"
        "/etc/OpenCL/vendors/nvidia.icd\n"
        "vulkan|other|../lib/libmy.so|none|/home/<user>/.local/share/vulkan/icd.d/my.json\n"
        "vulkan|mesa|/usr/lib/libvulkan_radeon.so|none|"
        "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json");
    expect_rows(&tree, "SELECT status FROM probe", "ok");
}

Test(probe_icd, nixos)
{
    static const char folder[] = "/nix/store/abc-graphics-drivers";
    tree_link(&tree, "/run/opengl-driver", folder);
    tree_put(&tree, "/nix/store/abc-graphics-drivers/share/vulkan/icd.d/nvidia_icd.x86_64.json",
             "{\"ICD\":{\"library_path\":\"/nix/store/n/lib/libGLX_nvidia.so.0\"}}");
    tree_put(&tree, "/nix/store/abc-graphics-drivers/share/glvnd/egl_vendor.d/10_nvidia.json",
             "{\"ICD\":{\"library_path\":\"/nix/store/n/lib/libEGL_nvidia.so.0\"}}");
    tree_put(&tree, "/nix/store/abc-graphics-drivers/etc/OpenCL/vendors/nvidia.icd",
             "/nix/store/n/lib/libnvidia-opencl.so\n");
    tree_put(&tree, "/run/opengl-driver-32/share/vulkan/icd.d/nvidia_icd.i686.json",
             "{\"ICD\":{\"library_path\":\"/nix/store/m/lib/libGLX_nvidia.so.0\"}}");
    tree_elf(&tree, "/nix/store/n/lib/libGLX_nvidia.so.0", 62);
    run();
    expect_rows(&tree, all_rows,
                "egl|nvidia|/nix/store/n/lib/libEGL_nvidia.so.0|none|"
                "/run/opengl-driver/share/glvnd/egl_vendor.d/10_nvidia.json\n"
                "opencl|nvidia|/nix/store/n/lib/libnvidia-opencl.so|none|"
                "/run/opengl-driver/etc/OpenCL/vendors/nvidia.icd\n"
                "vulkan|nvidia|/nix/store/n/lib/libGLX_nvidia.so.0|"
                "/nix/store/n/lib/libGLX_nvidia.so.0|"
                "/run/opengl-driver/share/vulkan/icd.d/nvidia_icd.x86_64.json");
}

/* Only who has read the loader's cache can say that a library is nowhere. */
Test(probe_icd, not_found_needs_the_cache)
{
    tree_put(&tree, "/usr/share/glvnd/egl_vendor.d/10_nvidia.json",
             "{\"ICD\":{\"library_path\":\"libEGL_nvidia.so.0\"}}");
    tree_put(&tree, "/usr/share/glvnd/egl_vendor.d/50_mesa.json",
             "{\"ICD\":{\"library_path\":\"libEGL_mesa.so.0\"}}");
    tree_put(&tree, "/etc/OpenCL/vendors/x.icd", "libstrange.so\n");
    run_with_cache();
    expect_rows(&tree, "SELECT library, library_path FROM icd ORDER BY library",
                "libEGL_mesa.so.0|/usr/lib/x86_64-linux-gnu/libEGL_mesa.so.0\n"
                "libEGL_nvidia.so.0|none\n"
                "libstrange.so|~");
}

Test(probe_icd, variables_and_conda)
{
    tree_put(&tree, "/.record/environ",
             "VK_ICD_FILENAMES=/opt/a.json:/opt/gone.json:relative.json\n"
             "OCL_ICD_VENDORS=/opt/vendors\nCONDA_PREFIX=/opt/conda/envs/x\n");
    tree_put(&tree, "/opt/a.json", "{\"ICD\":{\"library_path\":\"libGLX_nvidia.so.0\"}}");
    tree_put(&tree, "/opt/vendors/b.icd", "/opt/libb.so");
    tree_put(&tree, "/opt/libb.so", "");
    tree_put(&tree, "/opt/conda/envs/x/etc/OpenCL/vendors/pocl.icd", "libpocl.so\n");
    tree_elf(&tree, "/opt/conda/envs/x/lib/libpocl.so", 62);
    run();
    expect_rows(&tree, all_rows,
                "opencl|pocl|libpocl.so|/opt/conda/envs/x/lib/libpocl.so|"
                "/opt/conda/envs/x/etc/OpenCL/vendors/pocl.icd\n"
                "opencl|other|/opt/libb.so|/opt/libb.so|/opt/vendors/b.icd\n"
                "vulkan|nvidia|libGLX_nvidia.so.0|~|/opt/a.json");
    expect_rows(&tree, "SELECT status, path, detail FROM probe WHERE status <> 'ok'",
                "absent|/opt/gone.json|VK_ICD_FILENAMES names it");
}

Test(probe_icd, hostile_files)
{
    struct text deep = {0};
    for (int i = 0; i < 5000; i++)
        text_add(&deep, "[");
    tree_put(&tree, "/etc/vulkan/icd.d/deep.json", text_get(&deep));
    text_done(&deep);
    tree_put(&tree, "/etc/vulkan/icd.d/types.json", "{\"ICD\":{\"library_path\":7}}");
    tree_fifo(&tree, "/etc/OpenCL/vendors/fifo.icd");
    tree_put(&tree, "/etc/OpenCL/vendors/binary.icd", "\xff\xfe\n");
    tree_put(&tree, "/etc/OpenCL/vendors/empty.icd", "");
    run();
    expect_rows(&tree, "SELECT count(*) FROM icd", "0");
    expect_rows(&tree, "SELECT count(*) FROM probe WHERE status = 'malformed'", "5");
}

Test(probe_icd, none)
{
    run();
    expect_rows(&tree, "SELECT status, fills FROM probe", "absent|icd");
}
