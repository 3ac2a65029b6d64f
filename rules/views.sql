-- Views that rules share. Each stays narrow: a rule counts as reading every table that a view of it
-- names, and is unknown where one of those could not be filled.

-- ---------------------------------------------------------------- the machine

-- The machine to judge; none for an unpacked image, which will run elsewhere.
CREATE VIEW judged_host AS
SELECT * FROM host WHERE machine_kind IS NOT 'image';

-- A machine whose GPUs hang on a PCI bus and whose driver is Linux's own: neither WSL nor Tegra.
CREATE VIEW native_host AS
SELECT * FROM judged_host WHERE coalesce(wsl, 0) = 0 AND coalesce(tegra, 0) = 0;

-- ---------------------------------------------------------------- GPUs

-- What names a GPU: its PCI address, else its source and number. Newer Jetsons show their GPU to
-- the driver's tools as well ("NVIDIA Thor", "Orin (nvgpu)"): that is one GPU, not two.
CREATE VIEW gpu_name AS
SELECT pci_address AS gpu_id FROM pci_device WHERE kind = 'gpu'
UNION
SELECT coalesce(g.pci_address, g.source || ' ' || coalesce(g.gpu_index, 0)) FROM gpu g
 WHERE NOT EXISTS (SELECT 1 FROM gpu a
                    WHERE g.source = 'tegra' AND a.source IN ('nvml', 'nvidia-smi')
                      AND instr(a.name, g.name) > 0);

-- What the driver says of a GPU; 'proc' rows only fill gaps. One row for each, also where its answer
-- names one address twice.
CREATE VIEW asked_gpu AS
SELECT coalesce(pci_address, source || ' ' || coalesce(gpu_index, 0)) AS gpu_id, *
  FROM gpu WHERE source <> 'proc' GROUP BY 1;

-- Every GPU with what the bus, the driver and the table of PCI devices say of it.
CREATE VIEW known_gpu AS
SELECT i.gpu_id, p.pci_address, p.device_id, p.driver AS bound_driver,
       coalesce(a.name, o.name, d.name, d.chip) AS name, coalesce(a.name, o.name) AS said_name,
       coalesce(a.cc, t.cc) AS driver_cc, d.cc AS device_cc, d.confidence AS device_confidence,
       a.source, a.memory_mib, a.mig, a.mig_instances, a.gpu_index, a.uuid
  FROM gpu_name i
  LEFT JOIN pci_device p ON p.pci_address = i.gpu_id
  LEFT JOIN m_pci_device d ON d.device_id = p.device_id
  LEFT JOIN asked_gpu a ON a.gpu_id = i.gpu_id
  LEFT JOIN gpu o ON o.source = 'proc' AND o.pci_address = i.gpu_id
  LEFT JOIN gpu t ON t.source = 'tegra' AND a.source <> 'tegra' AND instr(a.name, t.name) > 0;

-- Every GPU once, with the best that is known of its compute capability: from the driver, else by
-- PCI id, else by product name where all products of that name agree, else from the run of PCI ids
-- around it (a guess). CASE makes only those look-ups that are needed, and MATERIALIZED makes them
-- once, not for each of a hundred environments that is held against the GPUs.
CREATE TABLE merged_gpu AS
WITH once AS MATERIALIZED (
SELECT c.*, coalesce(driver_cc, device_cc, named_cc, guessed_cc) AS cc,
       cc_key(coalesce(driver_cc, device_cc, named_cc, guessed_cc)) AS cc_key,
       CASE WHEN driver_cc IS NOT NULL THEN 'high'
            WHEN device_cc IS NOT NULL THEN device_confidence
            WHEN named_cc IS NOT NULL THEN 'high'
            WHEN guessed_cc IS NOT NULL THEN 'low' END AS confidence,
       CASE WHEN driver_cc IS NOT NULL THEN source
            WHEN device_cc IS NOT NULL THEN 'PCI device id ' || device_id
            WHEN named_cc IS NOT NULL THEN 'product name'
            WHEN guessed_cc IS NOT NULL THEN 'PCI device ids near ' || device_id END AS cc_source
  FROM (SELECT k.*,
               CASE WHEN coalesce(driver_cc, device_cc) IS NULL THEN
               (SELECT min(n.cc) FROM m_gpu n WHERE n.smi_name = k.said_name
                HAVING count(DISTINCT n.cc_key) = 1) END AS named_cc,
               CASE WHEN coalesce(driver_cc, device_cc) IS NULL THEN
               (SELECT r.cc FROM m_pci_range r
                 WHERE k.device_id BETWEEN r.first_id AND r.last_id LIMIT 1) END AS guessed_cc
          FROM known_gpu k) c)
SELECT * FROM once;

-- GPUs that are set aside for virtual machines: vfio-pci, its variants (nvgrace_gpu_vfio_pci), the
-- functions of vGPU (nvidia-vgpu-vfio), and Xen's.
CREATE VIEW set_aside_gpu AS
SELECT pci_address FROM pci_device
 WHERE kind = 'gpu' AND (driver LIKE '%vfio%' OR driver IN ('pci-stub', 'pciback', 'xen-pciback'));

-- GPUs that programs of this machine are meant to use.
CREATE TABLE own_gpu AS
SELECT * FROM merged_gpu WHERE gpu_id NOT IN (SELECT pci_address FROM set_aside_gpu);

-- The compute capabilities that are here: a build has to serve each, however many GPUs share it.
CREATE VIEW gpu_cc AS
SELECT DISTINCT cc_key FROM own_gpu WHERE cc_key IS NOT NULL;

-- A GPU is here, whoever says so.
CREATE VIEW gpu_present AS
SELECT gpu_id FROM gpu_name
UNION ALL
SELECT path FROM device_node WHERE path = '/dev/dxg';

-- ---------------------------------------------------------------- driver

-- The loaded kernel module, from /proc or /sys.
CREATE VIEW module_driver AS
SELECT version, version_key, flavour, path FROM driver
 WHERE part = 'module' AND version IS NOT NULL
 ORDER BY source = 'proc' DESC LIMIT 1;

-- The user-space driver, from the name of the libcuda that the loader takes.
CREATE VIEW library_driver AS
SELECT version, version_key, path FROM driver
 WHERE part = 'library' AND source = 'library' AND version IS NOT NULL LIMIT 1;

-- What NVML or nvidia-smi says.
CREATE VIEW asked_driver AS
SELECT version, version_key, cuda, cuda_key, source FROM driver
 WHERE source IN ('nvml', 'nvidia-smi') AND (version IS NOT NULL OR cuda IS NOT NULL) LIMIT 1;

-- The driver that runs. The CUDA it offers is what it says itself, else what its branch offers; the
-- branch tells nothing under WSL2, where the number is that of Windows' driver.
CREATE TABLE loaded_driver AS
SELECT v.version, v.version_key, v.path,
       coalesce(v.cuda, b.cuda_max) AS cuda, coalesce(v.cuda_key, b.cuda_max_key) AS cuda_key,
       CASE WHEN v.cuda IS NOT NULL THEN 'high' ELSE b.confidence END AS cuda_confidence
  FROM (SELECT coalesce(m.version, a.version) AS version,
               coalesce(m.version_key, a.version_key) AS version_key,
               coalesce(m.path, a.source) AS path, a.cuda, a.cuda_key
          FROM (SELECT 1) LEFT JOIN module_driver m LEFT JOIN asked_driver a
         WHERE m.version IS NOT NULL OR a.source IS NOT NULL) v
  LEFT JOIN m_driver_branch b
    ON b.branch = v.version_key / 1000000 AND EXISTS (SELECT 1 FROM native_host);

-- The driver's user-space libraries that could serve: no stub, no compat copy, not empty, 64 bit.
CREATE VIEW driver_copy AS
SELECT * FROM driver_library
 WHERE coalesce(stub, 0) = 0 AND coalesce(compat, 0) = 0 AND coalesce(size, 1) > 0
   AND coalesce(bits, 64) = 64;

-- The management library (NVML), where no copy of it has the loaded module's version.
CREATE VIEW other_nvml AS
SELECT l.version, l.path FROM driver_copy l JOIN module_driver m
 WHERE l.name = 'libnvidia-ml' AND l.version_key <> m.version_key
   AND NOT EXISTS (SELECT 1 FROM driver_copy o
                    WHERE o.name = 'libnvidia-ml'
                      AND coalesce(o.version_key, m.version_key) = m.version_key)
 LIMIT 1;

-- A cuda-compat copy that the loader would take before the driver's own.
CREATE VIEW compat_in_front AS
SELECT path, version, version_key FROM driver_library
 WHERE name = 'libcuda' AND compat = 1 AND found_by IN ('LD_LIBRARY_PATH', 'cache')
 LIMIT 1;

-- ---------------------------------------------------------------- frameworks

CREATE TABLE cuda_framework AS
SELECT f.*, d.companion_of, d.device_code,
       coalesce(f.cuda_tag, 'cu' || replace(f.cuda, '.', '')) AS build_tag
  FROM framework f LEFT JOIN framework_descriptor d ON d.name = f.name
 WHERE f.variant = 'cuda';

-- Machine code that the matrix knows of a framework's build. The project's own builds of PyTorch
-- carry the tag in torch/version.py, also where the wheel's name has none: without it, it is the
-- build of a distribution or a board's maker, with an architecture list of its own.
CREATE VIEW build_code AS
SELECT f.framework_id, a.cc_key, a.cc, a.sass, a.ptx, a.tegra, a.confidence
  FROM cuda_framework f CROSS JOIN host h
  JOIN m_framework_arch a
    ON a.framework = f.name AND a.version = f.release AND a.platform = h.arch
   AND ((f.channel IN ('pypi', 'pytorch') AND a.channel IN ('pytorch-index', 'pypi'))
        OR a.channel = f.channel)
   AND (a.cuda_tag = f.build_tag OR (a.cuda_tag IS NULL AND a.cuda_major = f.cuda_key / 100))
   AND NOT (f.channel = 'pypi' AND f.cuda_tag IS NULL
            AND coalesce(f.version_path, '') LIKE '%/torch/version.py');

-- Whether code for one compute capability serves another: same major and not a higher minor by
-- machine code, not higher by PTX. Nothing is promised across the border between desktop and Tegra.
CREATE VIEW code_for_gpu AS
SELECT c.framework_id, g.gpu_id, c.cc, c.confidence,
       c.sass AND c.cc_key / 100 = g.cc_key / 100 AND c.cc_key <= g.cc_key AS native,
       c.ptx AND c.cc_key <= g.cc_key AS by_ptx,
       g.cc IN ('5.3', '6.2', '7.2', '8.7') AND c.cc <> g.cc AS across
  FROM build_code c CROSS JOIN merged_gpu g;

-- ---------------------------------------------------------------- what would work instead

-- Who replaces a framework: the manager that installed it. 'none' where a line would be undone or
-- refused: what pixi installed from PyPI, pixi's environments with a feature of their own, and the
-- distribution's own packages.
CREATE VIEW replacer AS
SELECT f.framework_id,
       CASE WHEN f.manager = 'conda' OR f.channel IN ('conda-forge', 'defaults')
            THEN CASE WHEN e.manager = 'pixi' AND e.prefix GLOB '*/.pixi/envs/default' THEN 'pixi'
                      WHEN e.manager = 'pixi' THEN 'none'
                      WHEN e.prefix GLOB '*/micromamba/*' THEN 'micromamba' ELSE 'conda' END
            WHEN e.manager = 'pixi' THEN 'none'
            WHEN e.kind = 'system' AND e.prefix = '/usr'
                 AND NOT EXISTS (SELECT 1 FROM package p
                                  WHERE p.environment_id = f.environment_id AND p.name = f.package
                                    AND p.installer IN ('pip', 'uv')) THEN 'none'
            WHEN f.manager = 'uv' THEN 'uv'
            WHEN e.externally_managed = 1 THEN 'pip-system' ELSE 'pip' END AS manager,
       CASE WHEN e.manager = 'pixi'
            THEN substr(e.prefix, 1, instr(e.prefix, '/.pixi/') - 1) END AS project
  FROM framework f JOIN environment e ON e.environment_id = f.environment_id;

-- The interpreter of an environment. Below ~/.local and /usr/local there is none: it is the
-- system's of the same version.
CREATE VIEW interpreter AS
SELECT e.environment_id,
       coalesce(e.python_path, s.python_path,
                CASE WHEN e.kind IN ('venv', 'conda')
                     THEN e.prefix || '/bin/python' END) AS python_path
  FROM environment e
  LEFT JOIN environment s
    ON s.prefix = '/usr' AND e.kind IN ('user', 'system')
   AND s.python_key / 1000 = e.python_key / 1000;

-- Environment, driver and companions of a framework, as a build has to fit them.
CREATE VIEW wanted AS
SELECT f.framework_id, f.environment_id, f.name, f.release, f.package, f.channel, r.manager,
       r.project, e.prefix, i.python_path, e.python AS python_version, h.arch, h.glibc_key,
       d.cuda AS driver_cuda, d.cuda_key AS driver_cuda_key, d.version_key AS driver_key,
       EXISTS (SELECT 1 FROM package p WHERE p.environment_id = f.environment_id
                  AND p.name = 'torchvision') AS has_vision,
       EXISTS (SELECT 1 FROM package p WHERE p.environment_id = f.environment_id
                  AND p.name = 'torchaudio') AS has_audio
  FROM framework f JOIN environment e ON e.environment_id = f.environment_id
  JOIN replacer r ON r.framework_id = f.framework_id
  JOIN interpreter i ON i.environment_id = e.environment_id
  CROSS JOIN host h LEFT JOIN loaded_driver d;

-- torch builds that driver, every GPU, Python and glibc can run.
CREATE VIEW usable_torch AS
SELECT w.framework_id, b.version, b.cuda_tag, b.cuda, b.cuda_key, b.torchvision, b.torchaudio,
       b.find_links IS NOT NULL AS find_links,
       (b.version = w.release) * 4 + (b.cuda_major = w.driver_cuda_key / 100) * 2 AS fit,
       b.release_date
  FROM wanted w JOIN m_torch_build b
    ON w.name = 'torch' AND b.confidence <> 'low' AND b.track <> 'extra'
   AND (b.cuda_key <= w.driver_cuda_key
        OR (b.cuda_major = w.driver_cuda_key / 100 AND b.cuda_major >= 11))
   AND (b.min_driver_key IS NULL OR w.driver_key IS NULL OR b.min_driver_key <= w.driver_key)
   AND CASE w.arch WHEN 'x86_64' THEN b.x86_64 WHEN 'aarch64' THEN b.aarch64 END
   AND (w.glibc_key IS NULL OR b.glibc_min_key <= w.glibc_key)
   AND (w.python_version IS NULL OR b.python_spec IS NULL
        OR pep440_match(b.python_spec, w.python_version))
 WHERE NOT EXISTS (
       SELECT 1 FROM gpu_cc g
        WHERE NOT EXISTS (
              SELECT 1 FROM m_framework_arch a
               WHERE a.framework = 'torch' AND a.version = b.version AND a.cuda_tag = b.cuda_tag
                 AND a.platform = w.arch AND a.channel = 'pytorch-index'
                 AND ((a.sass AND a.cc_key / 100 = g.cc_key / 100 AND a.cc_key <= g.cc_key)
                      OR (a.ptx AND a.cc_key <= g.cc_key))));

CREATE VIEW usable_jax AS
SELECT w.framework_id, b.version, b.pip_extra AS extra, b.cuda_major,
       b.find_links IS NOT NULL AS find_links,
       (b.version = w.release) * 4 + (b.cuda_major = w.driver_cuda_key / 100) * 2 AS fit,
       b.release_date
  FROM wanted w JOIN m_jax_build b
    ON w.name = 'jax' AND b.confidence <> 'low' AND b.cuda_major <= w.driver_cuda_key / 100
   AND (b.min_driver_key IS NULL OR w.driver_key IS NULL OR b.min_driver_key <= w.driver_key)
   AND CASE w.arch WHEN 'x86_64' THEN b.x86_64 WHEN 'aarch64' THEN b.aarch64 END
   AND (w.python_version IS NULL OR b.python_spec IS NULL
        OR pep440_match(b.python_spec, w.python_version))
 WHERE NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE g.cc_key < b.min_cc_key);

CREATE VIEW usable_tensorflow AS
SELECT w.framework_id, b.version, b.cuda_major,
       (b.version = w.release) * 4 + (b.cuda_major = w.driver_cuda_key / 100) * 2 AS fit,
       b.release_date
  FROM wanted w JOIN m_tf_build b
    ON w.name = 'tensorflow' AND b.pip_extra IS NOT NULL
   AND b.cuda_major <= w.driver_cuda_key / 100
   AND (w.arch = 'x86_64' OR b.aarch64_gpu)
   AND (w.python_version IS NULL OR b.python_spec IS NULL
        OR pep440_match(b.python_spec, w.python_version))
 WHERE NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE g.cc_key < b.min_cc_key);

-- conda solves for a release by itself; what has to be said is the CUDA major.
CREATE VIEW usable_conda AS
SELECT w.framework_id, c.cuda_major, c.cuda_major || '.*' AS cuda
  FROM wanted w JOIN m_fixes c
    ON c.framework = w.name AND c.manager = 'conda' AND c.situation = 'install'
   AND c.status = 'current' AND c.cuda_major <= w.driver_cuda_key / 100
   AND (c.min_driver_key IS NULL OR w.driver_key IS NULL OR c.min_driver_key <= w.driver_key)
 WHERE w.manager IN ('conda', 'micromamba', 'pixi')
   AND NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE g.cc_key < c.min_cc_key);

-- A companion of torch is replaced alone, by the build that pairs with the torch at hand.
CREATE VIEW usable_companion AS
SELECT w.framework_id, w.name AS framework,
       CASE w.name WHEN 'torchvision' THEN b.torchvision ELSE b.torchaudio END AS version,
       b.cuda_tag, b.cuda, b.cuda_key, b.release_date
  FROM wanted w JOIN cuda_framework t ON t.environment_id = w.environment_id AND t.name = 'torch'
  JOIN m_torch_build b ON b.version = t.release AND b.cuda_tag = t.build_tag
 WHERE w.name IN ('torchvision', 'torchaudio') AND t.channel IN ('pypi', 'pytorch');

-- The same in one shape; the best has the highest fit (this release, then the driver's CUDA major),
-- then the newest release, then the CUDA nearest to the driver's.
CREATE VIEW usable_build AS
SELECT framework_id, version, cuda_tag, cuda, cuda_key, torchvision, torchaudio, NULL AS extra,
       find_links, fit, release_date FROM usable_torch
UNION ALL
SELECT framework_id, version, NULL, cuda_major, cuda_major * 100, NULL, NULL, extra, find_links,
       fit, release_date FROM usable_jax
UNION ALL
SELECT framework_id, version, NULL, cuda_major, cuda_major * 100, NULL, NULL, NULL, 0, fit,
       release_date FROM usable_tensorflow
UNION ALL
SELECT framework_id, version, cuda_tag, cuda, cuda_key, NULL, NULL, NULL, 0, 0,
       release_date FROM usable_companion WHERE version IS NOT NULL;

-- The line that installs it into the environment at hand.
CREATE VIEW usable_build_line AS
SELECT w.framework_id, r.command, w.python_path AS python, w.prefix, w.project, w.driver_cuda,
       w.name || ' ' || b.version || ' for CUDA ' || b.cuda
       || CASE WHEN b.version <> w.release THEN ', instead of ' || w.release ELSE '' END AS build,
       b.version, b.cuda_tag,
       b.cuda_key / 100 AS cuda_major, b.torchvision, b.torchaudio, b.extra, b.fit,
       b.release_date,
       -2 * abs(b.cuda_key - w.driver_cuda_key) - (b.cuda_key > w.driver_cuda_key) AS near
  FROM wanted w JOIN usable_build b ON b.framework_id = w.framework_id
  JOIN m_reinstall r ON r.framework = w.name AND r.manager = w.manager
   AND r.find_links = b.find_links
   AND r.companions = CASE WHEN w.name <> 'torch' THEN 'none'
                           WHEN w.has_vision AND w.has_audio THEN 'both'
                           WHEN w.has_vision THEN 'vision'
                           WHEN w.has_audio THEN 'audio' ELSE 'none' END
 WHERE w.manager IN ('pip', 'pip-system', 'uv')
   AND CASE r.companions WHEN 'both' THEN b.torchvision IS NOT NULL AND b.torchaudio IS NOT NULL
                         WHEN 'vision' THEN b.torchvision IS NOT NULL
                         WHEN 'audio' THEN b.torchaudio IS NOT NULL ELSE 1 END
UNION ALL
SELECT w.framework_id, r.command, w.python_path, w.prefix, w.project, w.driver_cuda,
       w.name || ' for CUDA ' || b.cuda_major, NULL, NULL, b.cuda_major, NULL, NULL, NULL, 1, NULL,
       b.cuda_major * 100
  FROM wanted w JOIN usable_conda b ON b.framework_id = w.framework_id
  JOIN m_reinstall r ON r.framework = w.name AND r.manager = w.manager;

-- Driver branches that serve every GPU here.
CREATE VIEW fitting_branch AS
SELECT b.branch, b.cuda_max, b.cuda_max_key, b.first_version_key, b.ended
  FROM m_driver_branch b
 WHERE b.confidence <> 'low'
   AND NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE g.cc_key < b.min_cc_key
                       OR (g.cc_key > b.max_cc_key AND g.cc_key / 100 > b.max_cc_key / 100));

-- Those in support, the oldest is the most conservative. Where there is none, the last that serves
-- an old GPU, as far as distributions still carry it.
CREATE VIEW suitable_branch AS
SELECT * FROM fitting_branch f
 WHERE NOT f.ended
    OR (f.branch >= 470 AND f.branch = (SELECT max(branch) FROM fitting_branch)
        AND NOT EXISTS (SELECT 1 FROM fitting_branch WHERE NOT ended))
 ORDER BY branch;

-- The flavour of the kernel module that every GPU here can use.
CREATE VIEW suitable_flavour AS
SELECT CASE WHEN min(cc_key) < 705 THEN 'proprietary' ELSE 'open' END AS flavour
  FROM own_gpu WHERE cc_key IS NOT NULL;

-- Under which names the matrix has commands for this system; none in a container, whose driver is
-- the host's, and none where a package manager cannot change the system image.
CREATE VIEW host_distro AS
SELECT os_id AS distro, os_version AS version FROM native_host
 WHERE coalesce(container, 'none') = 'none' AND coalesce(immutable, 0) = 0
UNION
SELECT 'ubuntu', NULL FROM native_host
 WHERE ' ' || os_id_like || ' ' LIKE '% ubuntu %' AND os_id <> 'pop'
   AND coalesce(container, 'none') = 'none' AND coalesce(immutable, 0) = 0
UNION
SELECT CASE os_id WHEN 'centos' THEN 'rocky' ELSE 'arch' END,
       CASE os_id WHEN 'centos' THEN os_version END FROM native_host
 WHERE os_id IN ('centos', 'endeavouros')
   AND coalesce(container, 'none') = 'none' AND coalesce(immutable, 0) = 0;

-- Commands of this distribution for a driver branch: its own packages before NVIDIA's repository,
-- and those that name the branch before those that take what is offered. `gives` says what comes.
CREATE VIEW driver_command AS
SELECT i.action, i.command, b.branch, b.cuda_max_key, i.channel,
       CASE WHEN b.ended
            THEN 'branch ' || b.branch || ', the last for this GPU, no longer in support'
            WHEN i.command LIKE '%{branch%' OR i.min_branch = i.max_branch
            THEN 'branch ' || b.branch
            ELSE 'the newest branch that it offers' END AS gives,
       (i.channel = 'nvidia-repo') * 100 + (i.flavour = 'any') * 10
       + (i.step LIKE 'install-metapackage%') * 5 + i.ord AS rank
  FROM host_distro h CROSS JOIN suitable_branch b CROSS JOIN suitable_flavour s
  CROSS JOIN native_host n
  JOIN m_driver_install i
    ON i.distro = h.distro
   AND (i.version IS NULL OR i.version = h.version OR h.version LIKE i.version || '.%')
   AND (i.platform IS NULL OR i.platform = n.arch)
   AND (i.min_branch IS NULL OR i.min_branch <= b.branch)
   AND (i.max_branch IS NULL OR i.max_branch >= b.branch)
   AND i.flavour IN (s.flavour, 'any') AND NOT i.compute_only;

-- Package repositories that the preferred way of installing needs first: its own, and those of the
-- distribution that hold what it builds with.
CREATE VIEW driver_repository AS
SELECT DISTINCT r.command, r.channel FROM driver_command r
  JOIN (SELECT channel FROM driver_command WHERE action = 'install' ORDER BY rank, branch LIMIT 1) c
 WHERE r.action = 'repo' AND r.channel IN (c.channel, 'distro') AND c.channel <> 'distro';

-- Lines that build or fetch the kernel module of the installed driver for the running kernel.
CREATE VIEW module_command AS
SELECT i.command, l.version_key / 1000000 AS branch, (i.distro = 'any') * 100 + i.ord AS rank
  FROM library_driver l CROSS JOIN suitable_flavour s CROSS JOIN native_host n
  JOIN (SELECT distro, version FROM host_distro UNION SELECT 'any', NULL FROM host_distro) h
  JOIN m_driver_install i
    ON i.action = 'modules' AND i.distro = h.distro AND NOT i.compute_only
   AND (i.version IS NULL OR i.version = h.version OR h.version LIKE i.version || '.%')
   AND (i.platform IS NULL OR i.platform = n.arch)
   AND (i.min_branch IS NULL OR i.min_branch <= l.version_key / 1000000)
   AND (i.max_branch IS NULL OR i.max_branch >= l.version_key / 1000000)
   AND i.flavour IN ('any', CASE WHEN l.version_key < 560000000 THEN 'proprietary'
                                 ELSE s.flavour END);

-- ---------------------------------------------------------------- subjects

-- A folder as it reads on any machine: the home folder's owner does not name the subject.
CREATE VIEW environment_key AS
SELECT environment_id, CASE
       WHEN prefix GLOB '/home/*/*' THEN '~' || substr(substr(prefix, 7), instr(substr(prefix, 7), '/'))
       WHEN prefix GLOB '/root/*' THEN '~' || substr(prefix, 6)
       ELSE prefix END AS key
  FROM environment;

CREATE VIEW subject_machine AS
SELECT 'machine' AS subject, 'machine' AS key, 'this machine' AS label, 'machine' AS scope;

CREATE VIEW subject_gpu AS
SELECT gpu_id AS subject, gpu_id AS key,
       coalesce(name || ' (' || gpu_id || ')', gpu_id) AS label, 'machine' AS scope
  FROM merged_gpu;

CREATE VIEW subject_environment AS
SELECT e.environment_id AS subject, k.key, e.prefix AS label, e.environment_id AS scope
  FROM environment e JOIN environment_key k ON k.environment_id = e.environment_id
 WHERE e.depth = 'read';

CREATE VIEW subject_framework AS
SELECT f.framework_id AS subject, coalesce(k.key, f.environment_id) || ' ' || f.name AS key,
       f.name || coalesce(' ' || f.version, '') || ' in ' || f.environment_id AS label,
       f.environment_id AS scope
  FROM framework f LEFT JOIN environment_key k ON k.environment_id = f.environment_id;

CREATE VIEW subject_framework_gpu AS
SELECT f.subject || ' on ' || g.subject AS subject, f.key || ' on ' || g.key AS key,
       f.label || ' on ' || g.label AS label, f.scope
  FROM subject_framework f CROSS JOIN subject_gpu g;

CREATE VIEW subject_required AS
SELECT value || coalesce(spec, '') AS subject, value || coalesce(spec, '') AS key,
       '--require ' || value || coalesce(spec, '') AS label, 'machine' AS scope
  FROM setting WHERE name = 'require' AND value <> 'gpu';

CREATE VIEW subject_parent AS
SELECT 'gpu' AS kind, subject, 'machine' AS parent_kind, 'machine' AS parent FROM subject_gpu
UNION ALL
SELECT 'environment', subject, 'machine', 'machine' FROM subject_environment
UNION ALL
SELECT 'required', subject, 'machine', 'machine' FROM subject_required
UNION ALL
SELECT 'framework', subject, 'environment', scope FROM subject_framework
UNION ALL
SELECT 'framework', subject, 'machine', 'machine' FROM subject_framework
UNION ALL
SELECT 'framework_gpu', f.subject || ' on ' || g.subject, 'framework', f.subject
  FROM subject_framework f CROSS JOIN subject_gpu g
UNION ALL
SELECT 'framework_gpu', f.subject || ' on ' || g.subject, 'gpu', g.subject
  FROM subject_framework f CROSS JOIN subject_gpu g;

-- ---------------------------------------------------------------- for people

-- One row that says what kind of machine this is, for the head of every report.
CREATE VIEW machine_summary AS
SELECT h.machine_kind AS kind, h.os_name AS os, h.kernel, h.arch, h.wsl, h.container,
       d.version AS driver, d.cuda, l.version AS installed_driver
  FROM (SELECT 1) LEFT JOIN host h LEFT JOIN loaded_driver d LEFT JOIN library_driver l;
