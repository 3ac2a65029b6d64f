#include "render/overview_parts.h"

/* Two or more of a kind are joined in one cell, so that a node of eight equal GPUs is one line. */
const struct overview_part overview_parts[] = {
    {"Machine",
     "SELECT coalesce(os_name, os_id, 'an unknown system') AS os, kernel, arch,"
     " coalesce(glibc, CASE WHEN libc = 'musl' THEN '' END) AS glibc, libc,"
     " nullif(machine_kind, 'live') AS kind FROM host",
     "{os}[, kernel {kernel}][, {arch}][, {libc} {glibc}][ ({kind})]", 1},
    {"Hardware",
     "SELECT product, nullif(hypervisor, 'none') AS hypervisor,"
     " CASE WHEN memory_mib >= 10240 THEN ((memory_mib + 512) / 1024) || ' GiB'"
     "      ELSE memory_mib || ' MiB' END AS memory,"
     " (SELECT group_concat(p.name || coalesce(', system ' || p.release, ''), '; ')"
     "    FROM platform p) AS platform,"
     " CASE secure_boot WHEN 1 THEN 'on' WHEN 0 THEN 'off' END AS secure_boot"
     " FROM host WHERE coalesce(product, hypervisor, memory_mib, secure_boot) IS NOT NULL"
     " OR EXISTS (SELECT 1 FROM platform)",
     "[{platform}][, {product}][, virtual machine ({hypervisor})][, memory {memory}]"
     "[, Secure Boot {secure_boot}]",
     1},
    {"Container",
     "SELECT engine, CASE rootless WHEN 1 THEN 'rootless' END AS rootless, requested,"
     " mounted_driver, base_image, base_cuda FROM container",
     "{engine}[, {rootless}][, asks for GPUs: {requested}][, driver {mounted_driver} mounted]"
     "[, made from {base_image}][ with CUDA {base_cuda}]",
     1},
    {"WSL",
     "SELECT h.wsl AS version, w.distribution, w.windows_build, w.windows_driver,"
     " CASE w.dxg WHEN 0 THEN '/dev/dxg is missing' END AS dxg FROM host h LEFT JOIN wsl w"
     " WHERE h.wsl > 0",
     "WSL {version}[, {distribution}][, Windows {windows_build}]"
     "[, its NVIDIA driver {windows_driver}][, {dxg}]",
     1},
    {"Job",
     "SELECT scheduler, CASE in_job WHEN 1 THEN 'inside a job' WHEN 0 THEN 'not inside a job' END"
     " AS inside, coalesce(gpus, gpu_count) AS gpus FROM job",
     "{scheduler}[, {inside}][, GPUs: {gpus}]", 3},
    {"GPU",
     "SELECT group_concat(number, ',') AS numbers, nullif(count(*), 1) AS count,"
     " coalesce(name, 'a GPU of unknown name') AS name, cc, memory_mib,"
     " CASE WHEN mig = 1 THEN coalesce(mig_instances, '?') END AS mig,"
     " nullif(bound_driver, 'none') AS driver, CASE bound_driver WHEN 'none' THEN 'no' END AS none"
     " FROM (SELECT gpu_index AS number, * FROM merged_gpu ORDER BY gpu_index, gpu_id)"
     " GROUP BY name, cc, memory_mib, mig, mig_instances, bound_driver ORDER BY min(number)",
     "[{numbers}: ][{count} x ]{name}[, compute capability {cc}][, {memory_mib} MiB]"
     "[, MIG on with {mig} instances][, held by {driver}][, held by {none} driver]",
     8},
    {"GPU",
     "SELECT 'none on the PCI bus' AS what WHERE NOT EXISTS (SELECT 1 FROM gpu_present)"
     " AND EXISTS (SELECT 1 FROM probe WHERE name = 'pci' AND status = 'ok')",
     "{what}", 1},
    {"Driver",
     "SELECT v.version, v.cuda, (SELECT flavour FROM module_driver WHERE flavour IS NOT NULL) AS "
     "flavour,"
     " (SELECT l.version FROM library_driver l WHERE l.version IS NOT v.version) AS library"
     " FROM loaded_driver v WHERE v.version IS NOT NULL OR v.cuda IS NOT NULL"
     " UNION ALL SELECT NULL, NULL, NULL, version FROM library_driver"
     " WHERE NOT EXISTS (SELECT 1 FROM loaded_driver)",
     "[{version}][, runs CUDA up to {cuda}][, {flavour} module][, library of {library}]", 1},
    {"Driver",
     "SELECT 'no kernel module is loaded and no library is installed' AS what"
     " WHERE NOT EXISTS (SELECT 1 FROM driver) AND NOT EXISTS (SELECT 1 FROM driver_library)"
     " AND EXISTS (SELECT 1 FROM judged_host) AND NOT EXISTS (SELECT 1 FROM kernel_module"
     "             WHERE name = 'nvidia')",
     "{what}", 1},
    {"",
     "SELECT coalesce(code_name, status) AS what, message FROM nvml"
     " WHERE status NOT IN ('ok', 'skipped', 'no-library')",
     "NVML: {what}[: {message}]", 1},
    {"Packages",
     "SELECT group_concat(name || ' ' || version, ', ') AS packages, manager"
     "  FROM (SELECT * FROM system_package WHERE state = 'installed' AND"
     "        (name LIKE '%driver%' OR name LIKE '%cudnn%' OR name LIKE '%nccl%'"
     "         OR name LIKE 'cuda-toolkit%' OR name LIKE '%container-toolkit'"
     "         OR manager = 'runfile') ORDER BY name LIMIT 8)"
     " GROUP BY manager",
     "{packages} ({manager})", 3},
    {"CUDA toolkit",
     "SELECT path, coalesce(version, nvcc_version, 'of unknown version') AS version,"
     " (SELECT n.max_major FROM nvcc_host n WHERE n.toolkit = t.path AND n.compiler = 'gcc') AS gcc"
     " FROM toolkit t ORDER BY t.version_key DESC",
     "{version} in {path}[, its nvcc accepts gcc up to {gcc}]", 4},
    {"Compiler",
     "SELECT group_concat(name || coalesce(' ' || version, ''), ', ') AS names"
     " FROM (SELECT DISTINCT name, version FROM compiler WHERE found_by = 'PATH')"
     " HAVING count(*) > 0",
     "{names}", 1},
    {"Environments",
     "SELECT CASE e.active WHEN 1 THEN 'active' END AS active, e.prefix, e.kind, e.manager,"
     " e.python, CASE e.fs_type WHEN 'network' THEN 'on another machine' END AS remote,"
     " CASE e.python_present WHEN 0 THEN 'its Python is gone' END AS gone, s.packages, s.frameworks"
     " FROM environment e JOIN (SELECT e.rowid AS id,"
     "   (SELECT CASE count(*) WHEN 0 THEN NULL WHEN 1 THEN '1 package'"
     "           ELSE count(*) || ' packages' END"
     "      FROM package p WHERE p.environment_id = e.environment_id) AS packages,"
     "   (SELECT group_concat(coalesce(f.title, f.name) || coalesce(' ' || f.version, '') ||"
     "     coalesce(' (' || CASE WHEN f.cuda IS NOT NULL THEN 'CUDA ' || f.cuda ELSE f.variant END"
     "              || coalesce(', cuDNN ' || f.cudnn, '') || ')', ''), '; ')"
     "      FROM framework f WHERE f.environment_id = e.environment_id) AS frameworks"
     "   FROM environment e WHERE e.depth = 'read') s ON s.id = e.rowid"
     " ORDER BY e.active DESC, e.found_by = '--env' DESC, s.frameworks IS NULL, e.prefix",
     "{prefix} ([{active}, ]{manager}[, Python {python}][, {gone}][, {remote}][, {packages}])"
     "[: {frameworks}]",
     6},
    {"Only listed",
     "SELECT group_concat(prefix, ', ') AS prefixes, nullif(max(count - 6, 0), 0) AS more"
     " FROM (SELECT prefix, count(*) OVER () AS count FROM environment WHERE depth <> 'read'"
     "       ORDER BY prefix LIMIT 6) HAVING count(*) > 0",
     "{prefixes}[ and {more} more] (--all-envs reads them)", 1},
    {"Commands",
     "SELECT group_concat(name, ', ') AS names, target, gone FROM ("
     "  SELECT min(rowid) AS first, name, coalesce(environment_id, interpreter, path) AS target,"
     "   CASE present WHEN 0 THEN 'which is not there' END AS gone"
     "    FROM launcher WHERE kind <> 'kernel' GROUP BY name, target, gone ORDER BY first)"
     " GROUP BY target, gone ORDER BY min(first)",
     "{names}: {target}[, {gone}]", 4},
    {"Jupyter",
     "SELECT group_concat(name, ', ') AS names, target, gone FROM ("
     "  SELECT DISTINCT name, coalesce(interpreter, path) AS target,"
     "   CASE present WHEN 0 THEN 'which is not there' END AS gone"
     "    FROM launcher WHERE kind = 'kernel' ORDER BY name)"
     " GROUP BY target, gone",
     "{names}: {target}[, {gone}]", 3},
    {"Variables",
     "SELECT group_concat(name || '=' || CASE WHEN length(value) > 60"
     "   THEN substr(value, 1, 60) || '...' ELSE value END, ' ') AS variables FROM ("
     "  SELECT name, value FROM env_var WHERE name IN ('CUDA_VISIBLE_DEVICES',"
     "   'NVIDIA_VISIBLE_DEVICES', 'LD_LIBRARY_PATH', 'LD_PRELOAD', 'CUDA_HOME', 'CUDA_PATH',"
     "   'PYTHONPATH', 'PYTHONHOME', 'PYTHONNOUSERSITE', 'CUDA_DEVICE_ORDER', 'JAX_PLATFORMS',"
     "   'CUDA_LAUNCH_BLOCKING', 'CONDA_OVERRIDE_CUDA') ORDER BY name) HAVING count(*) > 0",
     "{variables}", 1},
    {"Shared files",
     "SELECT count(*) || CASE WHEN count(*) > 100 AND EXISTS (SELECT 1 FROM probe"
     "   WHERE name = 'shared_file' AND status = 'skipped' AND scope = place)"
     "   THEN ' or more' ELSE '' END AS files, place, packages FROM ("
     "  SELECT path, place, group_concat(package, ' and ') AS packages FROM ("
     "    SELECT DISTINCT environment_id AS place, site, path, package FROM shared_file"
     "     WHERE size > 0 ORDER BY package) GROUP BY place, site, path)"
     " GROUP BY place, packages ORDER BY count(*) DESC",
     "{files} in {place} belong to {packages}", 4},
    {"Kernel log",
     "SELECT text, nullif(count, 1) AS count, CASE this_boot WHEN 0 THEN 'before this start' END"
     " AS earlier FROM kernel_log ORDER BY position DESC",
     "{text}[ ({count} times)][ ({earlier})]", 3},
    {"Services",
     "SELECT group_concat(name || ' ' || state, ', ') AS names FROM service HAVING count(*) > 0",
     "{names}", 1},
    {"Limits",
     "SELECT group_concat(name || ' ' || CASE WHEN unlimited = 1 THEN 'unlimited'"
     "   WHEN name IN ('nofile', 'nproc', 'pids') THEN soft"
     "   WHEN soft >= 10737418240 THEN (soft / 1073741824) || ' GiB'"
     "   WHEN soft >= 1048576 THEN (soft / 1048576) || ' MiB' ELSE (soft / 1024) || ' KiB' END, ', "
     "')"
     " AS limits FROM resource_limit WHERE unlimited = 1 OR soft IS NOT NULL HAVING count(*) > 0",
     "{limits}", 1},
    {"Not readable",
     "SELECT path, status, detail FROM probe WHERE status IN ('denied', 'malformed', 'timeout')"
     " AND path IS NOT NULL ORDER BY rowid",
     "{path}: {status}[, {detail}]", 4},
};

const size_t overview_part_count = sizeof overview_parts / sizeof overview_parts[0];
