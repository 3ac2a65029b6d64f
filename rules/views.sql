-- Views that rules share. Each stays narrow: a rule counts as reading every table that a view of it
-- names, and is unknown where one of those could not be filled.

-- ---------------------------------------------------------------- facts

-- What many queries join: without these SQLite would make an index for each of them.
CREATE INDEX framework_key ON framework (framework_id);
CREATE INDEX package_key ON package (environment_id, name);
CREATE INDEX library_key ON library (environment_id, path);
CREATE INDEX process_key ON process (framework_id);

-- ---------------------------------------------------------------- the machine

-- The machine to judge; none for an unpacked image, which will run elsewhere.
CREATE TABLE judged_host AS
SELECT * FROM host WHERE machine_kind IS NOT 'image';

-- A machine whose GPUs hang on a PCI bus and whose driver is Linux's own: neither WSL nor Tegra.
CREATE TABLE native_host AS
SELECT * FROM judged_host WHERE coalesce(wsl, 0) = 0 AND coalesce(tegra, 0) = 0;

-- ---------------------------------------------------------------- GPUs

-- What names a GPU: its PCI address, else its source and number. Newer Jetsons show their GPU to
-- the driver's tools as well ("NVIDIA Thor", "Orin (nvgpu)"): that is one GPU, not two.
CREATE TABLE gpu_name AS
SELECT pci_address AS gpu_id FROM pci_device WHERE kind = 'gpu'
UNION
SELECT coalesce(g.pci_address, g.source || ' ' || coalesce(g.gpu_index, 0)) FROM gpu g
 WHERE NOT EXISTS (SELECT 1 FROM gpu a
                    WHERE g.source = 'tegra' AND a.source IN ('nvml', 'nvidia-smi')
                      AND instr(a.name, g.name) > 0);

-- Every GPU once, with what the bus, the driver and the table of PCI devices say of it; 'proc' rows of
-- the driver only fill gaps, and one that names an address twice gives one row. Of its compute
-- capability the best that is known: from the driver, else by PCI id, else by product name where all
-- products of that name agree, else from the run of PCI ids around it (a guess). CASE makes only those
-- look-ups that are needed.
CREATE TABLE merged_gpu AS
WITH asked AS MATERIALIZED (
SELECT coalesce(pci_address, source || ' ' || coalesce(gpu_index, 0)) AS gpu_id, *
  FROM gpu WHERE source <> 'proc' GROUP BY 1),
known AS MATERIALIZED (
SELECT i.gpu_id, p.pci_address, p.device_id, p.driver AS bound_driver,
       coalesce(a.name, o.name, d.name, d.chip) AS name, coalesce(a.name, o.name) AS said_name,
       coalesce(a.cc, t.cc) AS driver_cc, d.cc AS device_cc, d.confidence AS device_confidence,
       a.source, a.memory_mib, a.mig, a.mig_instances, a.gpu_index, a.uuid
  FROM gpu_name i
  LEFT JOIN pci_device p ON p.pci_address = i.gpu_id
  LEFT JOIN m_pci_device d ON d.device_id = p.device_id
  LEFT JOIN asked a ON a.gpu_id = i.gpu_id
  LEFT JOIN gpu o ON o.source = 'proc' AND o.pci_address = i.gpu_id
  LEFT JOIN gpu t ON t.source = 'tegra' AND a.source <> 'tegra' AND instr(a.name, t.name) > 0),
looked_up AS MATERIALIZED (
SELECT k.*,
       CASE WHEN coalesce(driver_cc, device_cc) IS NULL THEN
       (SELECT min(n.cc) FROM m_gpu n WHERE n.smi_name = k.said_name
        HAVING count(DISTINCT n.cc_key) = 1) END AS named_cc,
       CASE WHEN coalesce(driver_cc, device_cc) IS NULL THEN
       (SELECT r.cc FROM m_pci_range r
         WHERE k.device_id BETWEEN r.first_id AND r.last_id LIMIT 1) END AS guessed_cc
  FROM known k)
SELECT *, coalesce(driver_cc, device_cc, named_cc, guessed_cc) AS cc,
       cc_key(coalesce(driver_cc, device_cc, named_cc, guessed_cc)) AS cc_key,
       CASE WHEN driver_cc IS NOT NULL THEN 'high'
            WHEN device_cc IS NOT NULL THEN device_confidence
            WHEN named_cc IS NOT NULL THEN 'high'
            WHEN guessed_cc IS NOT NULL THEN 'low' END AS confidence,
       CASE WHEN driver_cc IS NOT NULL THEN source
            WHEN device_cc IS NOT NULL THEN 'PCI device id ' || device_id
            WHEN named_cc IS NOT NULL THEN 'product name'
            WHEN guessed_cc IS NOT NULL THEN 'PCI device ids near ' || device_id END AS cc_source
  FROM looked_up;

-- GPUs that are set aside for virtual machines: vfio-pci, its variants (nvgrace_gpu_vfio_pci), the
-- functions of vGPU (nvidia-vgpu-vfio), and Xen's.
CREATE TABLE set_aside_gpu AS
SELECT pci_address FROM pci_device
 WHERE kind = 'gpu' AND (driver LIKE '%vfio%' OR driver IN ('pci-stub', 'pciback', 'xen-pciback'));

-- GPUs that programs of this machine are meant to use.
CREATE TABLE own_gpu AS
SELECT * FROM merged_gpu WHERE gpu_id NOT IN (SELECT pci_address FROM set_aside_gpu);

-- The compute capabilities that are here: a build has to serve each, however many GPUs share it.
CREATE TABLE gpu_cc AS
SELECT DISTINCT cc_key FROM own_gpu WHERE cc_key IS NOT NULL;

-- A container sees the host's PCI bus and /proc also where it was not given the GPU.
CREATE TABLE gpu_withheld AS
SELECT container FROM host
 WHERE container <> 'none' AND coalesce(wsl, 0) = 0 AND coalesce(tegra, 0) = 0 AND machine_kind <> 'image'
   AND NOT EXISTS (SELECT 1 FROM device_node) AND EXISTS (SELECT 1 FROM gpu_name);

-- Environments that are meant to use no GPU: all where none is made visible, and what conda's package
-- cpuonly holds.
CREATE TABLE meant_for_cpu AS
SELECT e.environment_id FROM environment e JOIN env_var v
    ON v.name = 'CUDA_VISIBLE_DEVICES' AND v.value IN ('', '-1', 'NoDevFiles')
UNION
SELECT environment_id FROM package WHERE name = 'cpuonly' AND kind = 'conda';

-- A GPU is here, whoever says so.
CREATE TABLE gpu_present AS
SELECT gpu_id FROM gpu_name WHERE NOT EXISTS (SELECT 1 FROM gpu_withheld)
UNION ALL
SELECT path FROM device_node WHERE path = '/dev/dxg';

-- ---------------------------------------------------------------- driver

-- The loaded kernel module, from /proc or /sys.
CREATE TABLE module_driver AS
SELECT version, version_key, flavour, path FROM driver
 WHERE part = 'module' AND version IS NOT NULL
 ORDER BY source = 'proc' DESC LIMIT 1;

-- The user-space driver, from the name of the libcuda that the loader takes.
CREATE TABLE library_driver AS
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
CREATE TABLE driver_copy AS
SELECT * FROM driver_library
 WHERE coalesce(stub, 0) = 0 AND coalesce(compat, 0) = 0 AND coalesce(size, 1) > 0
   AND coalesce(bits, 64) = 64;

-- The libcuda that the loader takes, where it is of another version than the loaded module and the
-- one that belongs to that lies beside: left over of a driver that was here before.
CREATE VIEW leftover_libcuda AS
SELECT l.path, l.version, o.path AS own FROM library_driver l
  JOIN module_driver m ON m.version_key <> l.version_key
  JOIN driver_copy o ON o.name = 'libcuda' AND o.version_key = m.version_key
 LIMIT 1;

-- The management library (NVML), where no copy of it has the loaded module's version.
CREATE VIEW other_nvml AS
SELECT l.version, l.path FROM driver_copy l JOIN module_driver m
 WHERE l.name = 'libnvidia-ml' AND l.version_key <> m.version_key
   AND NOT EXISTS (SELECT 1 FROM driver_copy o
                    WHERE o.name = 'libnvidia-ml'
                      AND coalesce(o.version_key, m.version_key) = m.version_key)
 LIMIT 1;

-- A cuda-compat copy that the loader would take before the driver's own.
CREATE TABLE compat_in_front AS
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
CREATE TABLE build_code AS
SELECT f.framework_id, a.cc_key, a.cc, a.sass, a.ptx, a.tegra, a.confidence
  FROM cuda_framework f CROSS JOIN host h
  JOIN m_framework_arch a
    ON a.framework = f.name AND a.version = f.release AND a.platform = h.arch
   AND ((f.channel IN ('pypi', 'pytorch') AND a.channel IN ('pytorch-index', 'pypi'))
        OR a.channel = f.channel)
   AND (a.cuda_tag = f.build_tag OR (a.cuda_tag IS NULL AND a.cuda_major = f.cuda_key / 100))
   AND NOT (f.channel = 'pypi' AND f.cuda_tag IS NULL
            AND coalesce(f.version_path, '') LIKE '%/torch/version.py');

-- ---------------------------------------------------------------- libraries

-- Sonames of the CUDA toolkit that tell CUDA's major. The number in a soname does not: libcusparse.so.12
-- belongs to CUDA 12 and to CUDA 13, libcufft.so.11 to CUDA 12.
CREATE TABLE soname_major AS
SELECT soname, min(library) AS role, min(cuda_major) AS cuda_major FROM m_soname
 WHERE provider = 'toolkit' GROUP BY soname
HAVING count(*) = count(cuda_major) AND count(DISTINCT cuda_major) = 1;
CREATE INDEX soname_major_key ON soname_major (soname);

-- Whose each known soname is: the toolkit's, cuDNN's, the driver's, ...
CREATE TABLE soname_owner AS
SELECT soname, min(provider) AS provider, min(provider_major) AS provider_major FROM m_soname
 GROUP BY soname;
CREATE INDEX soname_owner_key ON soname_owner (soname);

-- Libraries that come with the driver and never from a wheel, a channel or a toolkit.
CREATE TABLE driver_soname AS
SELECT soname FROM m_soname WHERE provider = 'driver'
UNION
SELECT 'libcuda.so' UNION SELECT 'libnvidia-ml.so' UNION SELECT 'libdxcore.so';

-- What installed distributions and conda packages ship: soname by soname.
CREATE TABLE shipped_soname AS
SELECT DISTINCT p.environment_id, n.soname, n.kind, n.cuda_major, p.name AS package, p.version,
       p.site, n.site_dir, p.site || '/' || n.site_dir AS folder
  FROM package p JOIN m_pip_nvidia n ON n.package = p.name
  LEFT JOIN m_soname s ON s.soname = n.soname AND s.provider = n.kind AND s.provider_major IS NOT NULL
 WHERE p.kind = 'dist' AND n.soname IS NOT NULL
   AND n.kind NOT IN ('fake', 'placeholder', 'obsolete')
   AND (s.soname IS NULL OR p.version IS NULL OR s.provider_major = CAST(p.version AS INTEGER))
UNION
SELECT DISTINCT p.environment_id, c.soname, NULL, NULL, p.name, p.version, NULL, NULL,
       e.prefix || '/lib'
  FROM package p JOIN m_conda_cuda c ON c.package = p.name
  JOIN environment e ON e.environment_id = p.environment_id
 WHERE p.kind = 'conda' AND c.soname IS NOT NULL AND c.role = 'library';

-- The interpreter of an environment. Below ~/.local and /usr/local there is none: it is the
-- system's of the same version.
CREATE TABLE interpreter AS
SELECT e.environment_id,
       coalesce(e.python_path, s.python_path,
                CASE WHEN e.kind IN ('venv', 'conda')
                     THEN e.prefix || '/bin/python' END) AS python_path
  FROM environment e
  LEFT JOIN environment s
    ON s.prefix = '/usr' AND e.kind IN ('user', 'system')
   AND s.python_key / 1000 = e.python_key / 1000;

-- The version of each library file of a known family: from the name of the real file (unless that is
-- the soname's own number, of which those with three fields, as auditwheel makes them, are versions), else of the one distribution that owns the file, else of the conda
-- package, else from the file's constants, else of the toolkit that it lies in, as far as that
-- library counts like CUDA. Where two distributions own the file and its size does not tell whose it
-- is, the version is not known. The key orders three fields.
CREATE TABLE library_version AS
WITH known AS MATERIALIZED (
SELECT environment_id, path, real_path, family, soname, site, relative, inside, literal_version,
       CASE WHEN file_version LIKE '%.%.%'
              OR (file_version LIKE '%.%' AND NOT ends_with(coalesce(soname, ''), '.so.' || file_version))
            THEN file_version END AS file_version,
       folder_of(relative) AS folder
  FROM library WHERE family IS NOT NULL AND family <> 'driver'),
owner AS MATERIALIZED (
SELECT DISTINCT k.environment_id, k.path, n.package AS name, n.version, s.matches
  FROM known k
  JOIN shipped_soname n ON n.site = k.site AND n.site_dir = k.folder
   AND (n.soname = k.soname OR n.kind = k.family)
  LEFT JOIN shared_file s
    ON s.site = k.site AND s.path = k.relative AND s.package = n.package
 WHERE k.file_version IS NULL),
wheel AS MATERIALIZED (
SELECT environment_id, path, min(name) AS name, min(version) AS version FROM owner
 WHERE coalesce(matches, 1) = 1
 GROUP BY environment_id, path HAVING count(DISTINCT version) = 1),
conda AS MATERIALIZED (
SELECT k.environment_id, k.path, min(n.package) AS name, min(n.version) AS version
  FROM known k JOIN shipped_soname n ON n.environment_id = k.environment_id
   AND n.site IS NULL AND n.soname = k.soname AND k.path = n.folder || '/' || k.soname
 WHERE k.file_version IS NULL
 GROUP BY k.environment_id, k.path HAVING count(DISTINCT n.version) = 1),
stated AS MATERIALIZED (
SELECT k.environment_id, k.path, k.real_path, k.family, k.soname, k.inside, k.site, k.relative,
       coalesce(k.file_version, w.version, c.version, k.literal_version, t.version) AS version,
       CASE WHEN k.file_version IS NOT NULL THEN 'name of the file'
            WHEN w.version IS NOT NULL THEN w.name
            WHEN c.version IS NOT NULL THEN c.name
            WHEN k.literal_version IS NOT NULL THEN 'words in the file'
            WHEN t.version IS NOT NULL THEN 'CUDA toolkit in ' || t.path END AS told_by,
       coalesce(w.name, c.name) AS package
  FROM known k
  LEFT JOIN wheel w ON w.environment_id = k.environment_id AND w.path = k.path
  LEFT JOIN conda c ON c.environment_id = k.environment_id AND c.path = k.path
  LEFT JOIN toolkit t ON k.family IN ('cudart', 'nvjitlink', 'nvJitLink', 'nvrtc')
   AND is_below(k.real_path, t.path)),
cut AS (
SELECT *, after_first(version, '.') AS rest
  FROM stated)
SELECT environment_id, path, real_path, family, soname, inside, site, relative, version, told_by,
       package, CAST(version AS INTEGER) AS major, CAST(rest AS INTEGER) AS minor,
       CAST(version AS INTEGER) * 1000000 + coalesce(CAST(rest AS INTEGER), 0) * 1000
       + coalesce(CAST(after_first(rest, '.') AS INTEGER), 0) AS version_key
  FROM cut WHERE version GLOB '[0-9]*' OR version IS NULL
 GROUP BY environment_id, path;
CREATE INDEX library_version_key ON library_version (environment_id, path);

-- cuDNN and NCCL that a framework was built with: as its own requirement pins them (or its plugin's
-- asks for at least, and its own where it refuses an older cuDNN), else as its files state, else as the table of PyTorch's builds. The version of
-- an installed package is none of these: it is what the framework gets. Cut into fields; a major
-- alone tells no minor.
CREATE TABLE built_with AS
WITH told AS MATERIALIZED (
SELECT f.framework_id, f.environment_id,
       before_first(after_first(q.requires, '-'), '-') AS family,
       before_first(q.bound || ',', ',') AS version, NULL AS path, 0 AS rank
  FROM framework f
  JOIN (SELECT *, after_first(specifier, CASE WHEN specifier LIKE '==%' THEN '==' ELSE '>=' END) AS bound
          FROM requirement WHERE requires > 'nvidia-' AND requires < 'nvidia.'
           AND (requires LIKE 'nvidia-cudnn-cu1_' OR requires LIKE 'nvidia-nccl-cu1_')) q
    ON q.environment_id = f.environment_id
 WHERE (q.package = f.package AND q.specifier LIKE '==%')
    OR (q.specifier LIKE '%>=%'
        AND (q.package IN (SELECT x.package FROM m_framework_package x
                            WHERE x.framework = f.name AND x.role = 'plugin')
             OR (q.package = f.package AND q.requires LIKE 'nvidia-cudnn-%' AND f.name IN
                 (SELECT t.framework FROM m_framework_trait t WHERE t.trait = 'compares-cudnn'))))
UNION ALL
SELECT framework_id, environment_id, 'cudnn', cudnn, cudnn_path, 1 FROM framework
 WHERE cudnn_path NOT LIKE '%nvidia_cudnn_cu%' AND cudnn_path NOT LIKE '%/conda-meta/cudnn-%'
UNION ALL
SELECT framework_id, environment_id, 'nccl', nccl, nccl_path, 1 FROM framework
 WHERE nccl_path NOT LIKE '%nvidia_nccl_cu%' AND nccl_path NOT LIKE '%/conda-meta/nccl-%'
UNION ALL
SELECT f.framework_id, f.environment_id, 'cudnn', b.cudnn, NULL, 2 FROM framework f
  JOIN m_torch_build b ON b.version = f.release AND b.cuda_tag = f.cuda_tag
 WHERE f.name = 'torch' AND f.channel IN ('pypi', 'pytorch') AND b.confidence <> 'low'
UNION ALL
SELECT f.framework_id, f.environment_id, 'nccl', b.nccl, NULL, 2 FROM framework f
  JOIN m_torch_build b ON b.version = f.release AND b.cuda_tag = f.cuda_tag
 WHERE f.name = 'torch' AND f.channel IN ('pypi', 'pytorch') AND b.confidence <> 'low'),
best AS MATERIALIZED (
SELECT framework_id, environment_id, family, version, path, min(rank)
  FROM told WHERE version GLOB '[0-9]*' GROUP BY framework_id, family)
SELECT framework_id, environment_id, family, version, path, CAST(version AS INTEGER) AS major,
       CAST(after_first(version, '.') AS INTEGER) AS minor
  FROM best;
CREATE INDEX built_with_key ON built_with (framework_id, family);

-- Copies of cuDNN and NCCL that a framework's process loads, once each.
CREATE TABLE loaded_version AS
SELECT l.framework_id, l.environment_id, l.family, l.soname, l.path, l.how, l.via, l.via_list,
       l.loaded_by, l.position, v.version, v.version_key, v.major, v.minor, v.told_by, v.inside
  FROM loaded l JOIN library_version v ON v.environment_id = l.environment_id AND v.path = l.path
 WHERE l.framework_id IS NOT NULL AND l.family IN ('cudnn', 'nccl');
CREATE INDEX loaded_version_key ON loaded_version (framework_id);

-- The framework that comes first where one works only beside another: what breaks the first is
-- told of it alone.
CREATE TABLE framework_before AS
SELECT f.framework_id, m.framework_id AS before_id
  FROM framework f JOIN framework_descriptor d ON d.name = f.name
  JOIN framework m ON m.environment_id = f.environment_id AND m.name = d.companion_of;

-- CUDA's major of a framework: as its files state it, else as all sonames that it asks for agree.
-- `leads`: others of its environment go along with its CUDA, and use what it has loaded.
CREATE TABLE framework_major AS
WITH asked AS MATERIALIZED (
SELECT r.framework_id,
       CASE WHEN count(DISTINCT s.cuda_major) = 1 THEN min(s.cuda_major) END AS cuda_major
  FROM resolution r CROSS JOIN soname_major s ON s.soname = r.name
 WHERE r.required = 1 GROUP BY r.framework_id)
SELECT f.framework_id, f.environment_id, f.name,
       f.name IN (SELECT framework FROM m_framework_trait WHERE trait = 'leads') AS leads,
       coalesce(f.cuda_key / 100, a.cuda_major) AS cuda_major
  FROM framework f LEFT JOIN asked a ON a.framework_id = f.framework_id
 GROUP BY f.framework_id;
CREATE INDEX framework_major_key ON framework_major (framework_id);

-- cuDNN that states to be for another CUDA than the framework that loads it: by the wheel that owns it,
-- or by the folder of CUDA's wheels that its RUNPATH names (cu13; those for CUDA 12 have none).
CREATE TABLE foreign_cudnn AS
WITH told AS (
SELECT l.framework_id, l.path, l.position,
       coalesce(n.cuda_major, CASE WHEN y.runpath LIKE '%/cu13/lib%' THEN 13 END) AS cuda_major
  FROM loaded_version l
  JOIN library y ON y.environment_id = l.environment_id AND y.path = l.path
  LEFT JOIN (SELECT package, min(cuda_major) AS cuda_major FROM m_pip_nvidia
              WHERE kind = 'cudnn' GROUP BY package) n ON n.package = l.told_by
 WHERE l.family = 'cudnn')
SELECT t.framework_id, t.path, t.cuda_major, j.cuda_major AS framework_major, min(t.position) AS position
  FROM told t JOIN framework_major j ON j.framework_id = t.framework_id
 WHERE t.cuda_major <> j.cuda_major GROUP BY t.framework_id;

-- The file that an error of the loader's begins with: its name may hold ": " too, and what follows is
-- one part ("file too short") or two ("cannot read file data: Is a directory").
CREATE VIEW told_resolution AS
SELECT *, CASE WHEN error NOT GLOB '/*: *' THEN NULL
               WHEN before_last(error, ': ') LIKE '%: cannot read file data'
                 OR before_last(error, ': ') LIKE '%: cannot open shared object file'
                 OR before_last(error, ': ') LIKE '%: wrong ELF class'
               THEN before_last(before_last(error, ': '), ': ')
               ELSE before_last(error, ': ') END AS error_file
  FROM resolution;

-- Sonames that a framework cannot do without and that nothing answers, and files that cannot be
-- loaded, or that are cut, of which the process dies: by themselves, not those that lack another one.
-- What the driver ships is told by the machine's rules, and what torch lacks too is told of torch.
-- `file` is the one that stands in the way, and `state` what is wrong with it. `purpose`: what alone
-- fails without it.
CREATE TABLE lack AS
WITH ask AS (
SELECT *, found_path IS NOT NULL AS cut,
       CASE WHEN found_path IS NOT NULL THEN found_path
            WHEN starts_with(error, name || ':') THEN CASE WHEN name LIKE '%/%' THEN name END
            ELSE error_file END AS file
  FROM told_resolution
 WHERE framework_id IS NOT NULL
   AND CASE WHEN found_path IS NOT NULL THEN error IS NOT NULL
            ELSE (required = 1 OR purpose IS NOT NULL)
                 AND (starts_with(error, name || ':') OR (name NOT LIKE '%/%' AND (error IS NULL OR error GLOB '/*'))) END
   AND name NOT IN (SELECT soname FROM driver_soname))
SELECT framework_id, environment_id, process_id, position, needed_by, name, trail, how, family, file,
       CASE WHEN required = 0 THEN purpose END AS purpose,
       CASE WHEN cut THEN 'cut' WHEN file IS NULL THEN NULL
            WHEN error LIKE '%: file too short' THEN 'empty or cut'
            WHEN error LIKE '%: No such file or directory' THEN 'not there'
            WHEN error LIKE '%: wrong ELF class%' THEN 'for another kind of machine'
            ELSE 'no library that can be loaded' END AS state,
       coalesce(error, name || ': cannot open shared object file: No such file or directory')
         AS error
  FROM ask;

-- Frameworks that work only beside one which does not load: what they would find in its process is not
-- known before that one is mended.
CREATE TABLE behind_broken AS
SELECT b.framework_id, coalesce(m.title, m.name) AS first, j.cuda_major
  FROM framework_before b JOIN process p ON p.framework_id = b.before_id AND p.outcome = 'fails'
  JOIN process o ON o.framework_id = b.framework_id AND o.outcome = 'fails'
  JOIN framework m ON m.framework_id = b.before_id
  JOIN framework_major j ON j.framework_id = b.before_id
 GROUP BY b.framework_id;

-- The same, less what is told of another framework, with what is known of each.
CREATE TABLE unanswered AS
WITH told AS MATERIALIZED (
SELECT DISTINCT b.framework_id, l.name, l.needed_by
  FROM lack l JOIN framework_before b ON b.before_id = l.framework_id),
shipped AS MATERIALIZED (
SELECT DISTINCT environment_id, soname FROM shipped_soname),
wanted_wheel AS MATERIALIZED (
SELECT DISTINCT q.environment_id, n.soname
  FROM requirement q JOIN m_pip_nvidia n ON n.package = q.requires
  LEFT JOIN package p ON p.environment_id = q.environment_id AND p.name = q.requires
 WHERE q.extra IS NULL AND p.name IS NULL
   AND q.environment_id IN (SELECT environment_id FROM lack))
SELECT l.framework_id, l.environment_id, l.process_id, l.position, l.needed_by, l.name, l.trail,
       l.error, l.file, l.state, l.purpose, l.name IN (SELECT soname FROM m_soname) AS known,
       coalesce(l.how = 'open' AND l.family = b.family, 0) AS part,
       s.soname IS NOT NULL AS shipped, w.soname IS NOT NULL AS required_here,
       coalesce(b.rpath, b.runpath) AS own_path, b.site
  FROM lack l
  LEFT JOIN told t
    ON t.framework_id = l.framework_id AND t.name = l.name AND t.needed_by IS l.needed_by
  LEFT JOIN library b ON b.environment_id = l.environment_id AND b.path = l.needed_by
  LEFT JOIN shipped s ON s.environment_id = l.environment_id AND s.soname = l.name
  LEFT JOIN wanted_wheel w ON w.environment_id = l.environment_id AND w.soname = l.name
 WHERE t.framework_id IS NULL;

-- A tree that holds only what matters to its story leaves out most libraries. There one counts as
-- missing if it is known, nothing that is installed ships it, it is no part of a library that is there,
-- and the object that asks has no path of its own to where its packager put it; or a requirement names
-- it that is not installed; or most of what that object asks for is there. What an installed package
-- ships, or is a part of one that is there, was only left out; of the others it is not known.
CREATE TABLE missing_library AS
WITH served AS MATERIALIZED (
SELECT r.framework_id, r.needed_by, count(*) AS asked,
       sum(r.found_path IS NOT NULL OR s.soname IS NOT NULL) AS there
  FROM resolution r
  LEFT JOIN (SELECT DISTINCT environment_id, soname FROM shipped_soname) s
    ON s.environment_id = r.environment_id AND s.soname = r.name
 WHERE r.framework_id IN (SELECT framework_id FROM unanswered)
   AND r.name IN (SELECT soname FROM m_soname WHERE provider <> 'driver')
   AND EXISTS (SELECT 1 FROM host WHERE partial = 1)
 GROUP BY r.framework_id, r.needed_by)
SELECT u.*,
       NOT EXISTS (SELECT 1 FROM host WHERE partial = 1)
       OR u.required_here OR coalesce(v.there * 2 > v.asked, 0)
       OR coalesce(u.own_path, '') IN ('', CASE WHEN u.site IS NOT NULL THEN '$ORIGIN' ELSE '' END)
         AS sure
  FROM unanswered u
  LEFT JOIN served v ON v.framework_id = u.framework_id AND v.needed_by IS u.needed_by
 WHERE NOT EXISTS (SELECT 1 FROM host WHERE partial = 1)
    OR (u.known AND NOT u.shipped AND NOT u.part);

-- Copies that an environment ships and that lose to one found by a variable, the cache or a default
-- folder. Links to one file are one copy.
CREATE TABLE other_copy AS
SELECT s.framework_id, s.environment_id, s.name, s.needed_by, s.path AS own, s.winner,
       CASE WHEN l.how = 'preload' THEN 'LD_PRELOAD' ELSE s.winner_via END AS via,
       s.winner_list AS list, s.family, o.version AS own_version, o.told_by AS own_told_by,
       w.version AS winner_version, w.told_by AS winner_told_by,
       CASE WHEN s.family = 'cupti' AND (o.major > 2000) <> (w.major > 2000) THEN NULL
            WHEN w.version_key < o.version_key THEN 1
            WHEN w.version_key >= o.version_key THEN 0 END AS older,
       CASE WHEN w.major * 1000 + coalesce(w.minor, 0) < o.major * 1000 + coalesce(o.minor, 0)
            THEN 1 ELSE 0 END AS older_minor
  FROM shadowed s
  JOIN library_version o ON o.environment_id = s.environment_id AND o.path = s.path AND o.inside = 1
  JOIN library_version w ON w.environment_id = s.environment_id AND w.path = s.winner
  LEFT JOIN loaded l ON l.process_id = s.process_id AND l.path = s.winner
  LEFT JOIN (SELECT DISTINCT b.framework_id, x.path, x.winner
               FROM framework_before b JOIN shadowed x ON x.framework_id = b.before_id) t
    ON t.framework_id = s.framework_id AND t.path = s.path AND t.winner = s.winner
 WHERE s.framework_id IS NOT NULL AND w.real_path <> o.real_path AND s.family <> 'driver'
   AND (l.how = 'preload' OR s.winner_via IN ('LD_LIBRARY_PATH', 'cache', 'default folder'))
   AND t.framework_id IS NULL AND s.framework_id NOT IN (SELECT framework_id FROM behind_broken)
 GROUP BY s.framework_id, s.path, s.winner;

-- Missing symbols, each told of the framework that comes first.
CREATE TABLE told_symbol AS
SELECT m.* FROM missing_symbol m
  LEFT JOIN (SELECT DISTINCT b.framework_id, o.path, o.symbol, o.version
               FROM framework_before b JOIN missing_symbol o ON o.framework_id = b.before_id) t
    ON t.framework_id = m.framework_id AND t.path = m.path
   AND t.symbol IS m.symbol AND t.version IS m.version
 WHERE m.framework_id IS NOT NULL AND t.framework_id IS NULL;

-- Of those other copies the ones at fault: older, perhaps older, or without a symbol that is asked of
-- them. Of a cuDNN that a framework was built with its own rule tells.
CREATE TABLE faulty_copy AS
SELECT c.* FROM other_copy c
 WHERE (coalesce(c.older, 1) = 1
        OR EXISTS (SELECT 1 FROM missing_symbol m
                    WHERE m.framework_id = c.framework_id AND m.provider = c.winner))
   AND NOT (c.family = 'cudnn'
            AND EXISTS (SELECT 1 FROM built_with b
                         WHERE b.framework_id = c.framework_id AND b.family = 'cudnn'));

-- Files that several distributions own and that matter: a shared library of the GPU stack, or what makes
-- a folder a package, whose copies are not all alike; not a stray build_backend.py or test. Which one lies on disk is told by the sizes in their RECORDs.
CREATE TABLE twice_file AS
WITH of_framework AS MATERIALIZED (
SELECT DISTINCT s.environment_id, s.path FROM shared_file s
  JOIN framework f ON f.environment_id = s.environment_id AND f.package = s.package)
SELECT s.environment_id, s.site, s.path, min(s.package) AS first, max(s.package) AS second,
       CASE WHEN sum(s.matches = 1) = 1 THEN max(CASE WHEN s.matches = 1 THEN s.package END) END
         AS on_disk
  FROM shared_file s
  LEFT JOIN of_framework o ON o.environment_id = s.environment_id AND o.path = s.path
 WHERE s.package IN (SELECT package FROM m_pip_nvidia) OR s.package LIKE 'nvidia-%'
    OR o.path IS NOT NULL
 GROUP BY s.environment_id, s.site, s.path
HAVING count(DISTINCT s.package) > 1 AND coalesce(max(s.size), 1) > 0
   AND NOT coalesce(sum(s.matches = 1) = count(*), 0)
   AND (s.path LIKE '%.so' OR s.path LIKE '%.so.%'
        OR (s.path LIKE '%/__init__.py' AND count(s.matches) = count(*)
            AND before_first(s.path, '/') NOT IN
                ('test', 'tests', 'doc', 'docs', 'examples', 'benchmarks', 'nvidia')));

-- Such files by the pair of their owners. It does no harm yet where what lies on disk is of the only
-- CUDA major that the environment's frameworks are built for.
CREATE TABLE twice_pair AS
WITH pair AS MATERIALIZED (
SELECT environment_id, site, first, second, min(path) AS path, count(*) AS files,
       CASE WHEN count(DISTINCT on_disk) = 1 AND count(on_disk) = count(*)
            THEN min(on_disk) END AS on_disk
  FROM twice_file GROUP BY environment_id, site, first, second)
SELECT p.*, (SELECT count(DISTINCT j.cuda_major) FROM framework_major j
              WHERE j.environment_id = p.environment_id) = 1
       AND EXISTS (SELECT 1 FROM m_pip_nvidia n JOIN framework_major j
                      ON j.cuda_major = n.cuda_major AND j.environment_id = p.environment_id
                    WHERE n.package = p.on_disk) AS harmless
  FROM pair p;

-- The CUDA major that an environment goes by: that of all its frameworks, else of the one that leads.
CREATE TABLE kept_major AS
SELECT environment_id,
       CASE WHEN count(DISTINCT cuda_major) = 1 THEN min(cuda_major)
            WHEN count(DISTINCT CASE WHEN leads THEN cuda_major END) = 1
            THEN min(CASE WHEN leads THEN cuda_major END) END AS cuda_major
  FROM framework_major
 WHERE framework_id NOT IN (SELECT framework_id FROM framework_before)
 GROUP BY environment_id;

-- Frameworks that are built for another one: no copy of a file that both majors' wheels own serves both.
CREATE TABLE off_major AS
SELECT j.framework_id, j.environment_id, j.name, coalesce(f.title, f.name) AS framework,
       j.cuda_major, k.cuda_major AS kept
  FROM framework_major j JOIN kept_major k ON k.environment_id = j.environment_id
   AND j.cuda_major <> k.cuda_major
  JOIN framework f ON f.framework_id = j.framework_id
 WHERE j.framework_id NOT IN (SELECT framework_id FROM framework_before);

-- Their owners, and which of them to install again: the one for the CUDA major of the environment's
-- frameworks, else the one that a framework of the environment comes from and that has code for GPUs.
CREATE TABLE twice_owner AS
SELECT DISTINCT p.environment_id, p.name AS package, p.version, i.python_path AS python, e.prefix,
       p.name || '==' || p.version AS spec,
       CASE WHEN p.installer = 'uv' THEN 'uv' WHEN e.externally_managed = 1 THEN 'pip-system'
            ELSE 'pip' END AS manager,
       CASE WHEN EXISTS (SELECT 1 FROM m_pip_nvidia n JOIN kept_major k
                            ON k.environment_id = p.environment_id
                           AND k.cuda_major = n.cuda_major AND n.kind <> 'framework'
                          WHERE n.package = p.name) THEN 1
            WHEN NOT EXISTS (SELECT 1 FROM m_pip_nvidia n WHERE n.package = p.name)
                 AND (p.name LIKE '%-gpu' OR p.name LIKE '%-cuda%') THEN 1 ELSE 0 END AS keep
  FROM twice_file t
  JOIN shared_file s ON s.environment_id = t.environment_id AND s.path = t.path AND s.site IS t.site
  JOIN package p ON p.environment_id = s.environment_id AND p.name = s.package AND p.kind = 'dist'
  JOIN environment e ON e.environment_id = p.environment_id
  JOIN interpreter i ON i.environment_id = p.environment_id;

-- How to install a distribution again as it is.
CREATE VIEW reinstalled AS
SELECT p.environment_id, p.package_id, p.name AS package, p.version,
       CASE WHEN p.installer = 'uv' THEN 'uv' WHEN e.externally_managed = 1 THEN 'pip-system'
            ELSE 'pip' END AS manager,
       e.prefix, p.name || '==' || p.version AS spec,
       CASE WHEN p.version LIKE '%+cu%' THEN after_first(p.version, '+') END AS cuda_tag,
       CASE WHEN p.version LIKE '%+cu%' AND p.name IN ('torch', 'torchvision', 'torchaudio')
            THEN 'reinstall-index' ELSE 'reinstall' END AS action
  FROM package p JOIN environment e ON e.environment_id = p.environment_id
 WHERE p.kind = 'dist';

-- Distributions of the GPU stack whose files are links into a cache that is gone; of a recorded tree
-- it was left out.
CREATE TABLE linked_package AS
SELECT r.*, d.site, d.path FROM damaged_file d JOIN reinstalled r ON r.package_id = d.package_id
 WHERE d.path LIKE '%.dist-info/METADATA' AND NOT EXISTS (SELECT 1 FROM host WHERE partial = 1);

-- Distributions with shared objects that are gone, empty or cut, the worst file of each. `opened`: a
-- process of a framework asks for it, or it is what the distribution is there for. The record that an
-- interrupted upgrade left lists what is gone for good; a recorded tree leaves files out, unless most of
-- the distribution is there.
CREATE TABLE damaged_package AS
WITH one AS MATERIALIZED (
SELECT d.environment_id, d.site, d.package, d.package_id, d.path, d.state, d.size, d.found_size, d.whole,
       replace(d.path, rtrim(d.path, replace(d.path, '/', '')), '') AS leaf
  FROM damaged_file d
 WHERE d.path NOT LIKE '%.dist-info/METADATA' AND (SELECT count(*) FROM package k WHERE k.environment_id = d.environment_id
           AND k.name = d.package AND k.kind = 'dist') = 1),
asked AS MATERIALIZED (
SELECT DISTINCT environment_id, replace(name, rtrim(name, replace(name, '/', '')), '') AS leaf
  FROM resolution WHERE framework_id IS NOT NULL
 UNION SELECT environment_id, requires FROM requirement),
required AS MATERIALIZED (
SELECT DISTINCT q.environment_id, q.requires AS package
  FROM requirement q JOIN package k ON k.environment_id = q.environment_id AND k.name = q.package
 WHERE q.package <> q.requires),
judged AS MATERIALIZED (
SELECT o.*, a.leaf IS NOT NULL OR (n.soname IS NOT NULL AND q.package IS NOT NULL) AS opened
  FROM one o
  LEFT JOIN required q ON q.environment_id = o.environment_id AND q.package = o.package
  LEFT JOIN asked a ON a.environment_id = o.environment_id AND a.leaf = o.leaf
  LEFT JOIN (SELECT DISTINCT package, soname FROM m_pip_nvidia) n
    ON n.package = o.package AND n.soname = o.leaf)
SELECT j.environment_id, j.site, j.package, p.version, j.path, j.leaf, j.state, j.size, j.found_size,
       j.whole, count(*) AS files, max(j.opened) AS opened,
       p.manager, p.prefix, p.spec, p.cuda_tag, p.action
  FROM judged j JOIN reinstalled p ON p.environment_id = j.environment_id AND p.package = j.package
 GROUP BY j.environment_id, j.package
HAVING NOT EXISTS (SELECT 1 FROM host WHERE partial = 1) OR j.whole >= count(*);

-- CUDA libraries that an environment's frameworks cannot do without, or take out of the environment,
-- by role (cudart, cublas, ...) and CUDA major.
CREATE TABLE asked_role AS
SELECT r.environment_id, r.framework_id, coalesce(f.title, f.name) AS framework, s.role,
       s.cuda_major, r.name, r.found_path, r.needed_by
  FROM resolution r JOIN soname_major s ON s.soname = r.name
  JOIN framework f ON f.framework_id = r.framework_id
  LEFT JOIN library l ON l.environment_id = r.environment_id AND l.path = r.found_path
 WHERE (r.required = 1 OR l.inside = 1)
   AND r.framework_id NOT IN (SELECT framework_id FROM behind_broken)
 GROUP BY r.framework_id, r.name;

-- Roles that two majors fill; each major named with a framework, not with one that only works beside
-- another where that can be helped.
CREATE TABLE mixed_role AS
WITH used AS MATERIALIZED (
SELECT environment_id, role, cuda_major,
       min(framework_id IN (SELECT framework_id FROM framework_before)), framework
  FROM asked_role GROUP BY environment_id, role, cuda_major)
SELECT a.environment_id, a.role, a.cuda_major AS low, b.cuda_major AS high,
       a.framework AS low_by, b.framework AS high_by
  FROM used a JOIN used b
    ON b.environment_id = a.environment_id AND b.role = a.role AND b.cuda_major > a.cuda_major;

-- Wheels of the CUDA toolkit for a major that no framework of the environment asks for, while all are
-- known to use another.
CREATE TABLE leftover_wheel AS
WITH used AS MATERIALIZED (
SELECT environment_id, min(cuda_major) AS cuda_major FROM framework_major
 GROUP BY environment_id HAVING count(DISTINCT cuda_major) = 1 AND count(*) = count(cuda_major)),
wheel AS MATERIALIZED (
SELECT DISTINCT package, cuda_major FROM m_pip_nvidia
 WHERE kind = 'toolkit' AND soname IS NOT NULL),
spare AS MATERIALIZED (
SELECT p.environment_id, p.name AS package, p.version, p.path,
       CASE WHEN p.installer = 'uv' THEN 'uv' WHEN e.externally_managed = 1 THEN 'pip-system'
            ELSE 'pip' END AS manager, n.cuda_major, u.cuda_major AS used
  FROM package p JOIN wheel n ON n.package = p.name
  JOIN used u ON u.environment_id = p.environment_id AND u.cuda_major <> n.cuda_major
  JOIN environment e ON e.environment_id = p.environment_id
 WHERE p.kind = 'dist')
SELECT * FROM spare s
 WHERE EXISTS (SELECT 1 FROM asked_role a WHERE a.environment_id = s.environment_id)
   AND NOT EXISTS (SELECT 1 FROM asked_role a WHERE a.environment_id = s.environment_id
                      AND a.cuda_major = s.cuda_major)
   AND NOT EXISTS (SELECT 1 FROM requirement q WHERE q.environment_id = s.environment_id
                      AND q.requires = s.package AND q.extra IS NULL);

-- The file that stands where a program looks for libcuda, and is none.
CREATE VIEW broken_libcuda AS
SELECT CASE WHEN r.found_path IS NOT NULL THEN r.found_path
            ELSE r.error_file END AS path,
       CASE WHEN r.found_path IS NOT NULL THEN 'cut' WHEN r.error LIKE '%: file too short' THEN 'empty or cut'
            ELSE 'no library' END AS state
  FROM told_resolution r
 WHERE r.process_id = 'program' AND r.name = 'libcuda.so.1' AND r.error GLOB '/*: *'
   AND r.error NOT LIKE '%: wrong ELF class%'
 LIMIT 1;

-- Under WSL2, a libcuda of a Linux driver that programs load: it asks for /dev/nvidiactl, which is not
-- there, and not for /dev/dxg. Windows' own lies below /usr/lib/wsl and has no driver's number.
CREATE VIEW linux_libcuda AS
SELECT l.path, l.file_version AS version, l.via, l.via_list AS list FROM loaded_libcuda l
  JOIN judged_host h ON h.wsl = 2 AND coalesce(h.container, 'none') = 'none'
 WHERE l.process_id = 'program' AND l.versioned AND l.stub = 0 AND l.compat = 0
   AND l.file_version_key >= 300000000 AND l.path NOT LIKE '%/wsl/%' AND l.real_path NOT LIKE '%/wsl/%'
 LIMIT 1;

-- The driver's library as processes load it: what any program gets, and what frameworks get. A program
-- is asked for both names; `versioned` is 0 where only the unversioned one, which few ask for, led there.
CREATE TABLE loaded_libcuda AS
WITH cuda AS MATERIALIZED (
SELECT process_id, coalesce(environment_id, '') AS place, framework_id, path, via, via_list,
       via_path, how
  FROM loaded WHERE family = 'driver' AND soname IN ('libcuda.so.1', 'libcuda.so')),
file AS MATERIALIZED (
SELECT coalesce(environment_id, '') AS place, path, real_path, file_version, file_version_key,
       coalesce(stub, 0) AS stub, coalesce(compat, 0) AS compat
  FROM library WHERE path IN (SELECT path FROM cuda)),
asked AS MATERIALIZED (
SELECT process_id, found_path, max(name = 'libcuda.so.1') AS versioned
  FROM resolution WHERE name IN ('libcuda.so', 'libcuda.so.1') GROUP BY process_id, found_path)
SELECT l.process_id, l.framework_id, l.path, l.via, l.via_list, l.via_path, l.how, f.real_path,
       f.file_version, f.file_version_key, f.stub, f.compat,
       coalesce(a.versioned, 1) AS versioned
  FROM cuda l JOIN file f ON f.place = l.place AND f.path = l.path
  LEFT JOIN asked a ON a.process_id = l.process_id AND a.found_path = l.path;

-- cuda-compat copies that programs or frameworks load as libcuda, with what their note and the table
-- of packages allow. `packaged`: the table knows its branch at all.
CREATE TABLE front_compat AS
SELECT l.process_id, l.framework_id, l.path, l.via, l.via_list,
       coalesce(c.version, l.file_version) AS version,
       coalesce(c.version_key, l.file_version_key) AS version_key,
       EXISTS (SELECT 1 FROM compat_allowed a
                WHERE a.path IN (l.path, l.real_path, c.path) AND a.kind = 'driver') AS noted,
       EXISTS (SELECT 1 FROM compat_allowed a JOIN module_driver m
                WHERE a.path IN (l.path, l.real_path, c.path) AND a.kind = 'driver'
                  AND a.number = m.version_key / 1000000) AS allowed,
       EXISTS (SELECT 1 FROM m_cuda_compat x
                WHERE x.from_branch = coalesce(c.version_key, l.file_version_key) / 1000000)
         AS packaged,
       EXISTS (SELECT 1 FROM m_cuda_compat x JOIN module_driver m
                WHERE x.from_branch = coalesce(c.version_key, l.file_version_key) / 1000000
                  AND x.base_branch = m.version_key / 1000000) AS listed,
       (SELECT group_concat(number, ', ')
          FROM (SELECT DISTINCT a.number FROM compat_allowed a
                 WHERE a.path IN (l.path, l.real_path, c.path) AND a.kind = 'driver'
                 ORDER BY a.number)) AS branches
  FROM loaded_libcuda l
  LEFT JOIN compat_library c ON c.path IN (l.path, l.real_path)
 WHERE l.compat = 1 AND (l.versioned OR l.framework_id IS NOT NULL)
 GROUP BY l.process_id, l.path;

-- Frameworks that open cuDNN, or parts of it, by name and get a copy from outside the environment,
-- while another framework of the environment loads one of another version.
CREATE TABLE other_cudnn AS
SELECT l.framework_id, l.path, l.version, o.path AS other_path, o.version AS other_version,
       coalesce(f.title, f.name) AS other
  FROM loaded_version l
  JOIN loaded_version o
    ON o.environment_id = l.environment_id AND o.framework_id <> l.framework_id
   AND o.family = 'cudnn' AND o.major = l.major AND o.version_key <> l.version_key AND o.inside = 1
  JOIN framework f ON f.framework_id = o.framework_id
  LEFT JOIN library c ON c.environment_id = l.environment_id AND c.path = l.loaded_by
 WHERE l.family = 'cudnn' AND l.how = 'open' AND coalesce(l.inside, 0) = 0
   AND l.via IN ('LD_LIBRARY_PATH', 'cache', 'default folder') AND c.family IS NOT 'cudnn'
 GROUP BY l.framework_id;

-- LD_LIBRARY_PATH as it is set here, element by element (colons and semicolons separate there).
CREATE TABLE path_element AS
WITH RECURSIVE part(position, element, rest) AS (
SELECT -1, NULL, replace(value, ';', ':') || ':' FROM env_var WHERE name = 'LD_LIBRARY_PATH'
UNION ALL
SELECT position + 1, before_first(rest, ':'), after_first(rest, ':')
  FROM part WHERE rest <> '' AND position < 200)
SELECT position, element, rtrim(element, '/') AS folder FROM part WHERE element <> '';

-- LD_PRELOAD likewise (colons and blanks both separate there).
CREATE TABLE preload_element AS
WITH RECURSIVE part(position, element, rest) AS (
SELECT -1, NULL, replace(value, ' ', ':') || ':' FROM env_var WHERE name = 'LD_PRELOAD'
UNION ALL
SELECT position + 1, before_first(rest, ':'), after_first(rest, ':')
  FROM part WHERE rest <> '' AND position < 200)
SELECT position, element FROM part WHERE element <> '';

-- Libraries that a rule wants off the loader's path, for one of its subjects, and how each was found.
CREATE TABLE path_fault AS
SELECT 'library-shadowed' AS rule, framework_id AS subject, via, list, winner AS path
  FROM faulty_copy
UNION
SELECT 'symbol-missing', t.framework_id, CASE l.how WHEN 'preload' THEN 'LD_PRELOAD' ELSE l.via END,
       l.via_list, l.path
  FROM told_symbol t JOIN loaded l ON l.process_id = t.process_id AND l.path = t.provider
UNION
SELECT 'cudnn-mismatch', framework_id, CASE how WHEN 'preload' THEN 'LD_PRELOAD' ELSE via END, via_list,
       path
  FROM loaded_version v WHERE family = 'cudnn'
   AND (inside IS NOT 1
        OR NOT EXISTS (SELECT 1 FROM shipped_soname s
                        WHERE s.environment_id = v.environment_id AND s.site IS NOT NULL
                          AND s.folder = rtrim(v.via_list, '/')))
UNION
SELECT 'nccl-mismatch', framework_id, CASE how WHEN 'preload' THEN 'LD_PRELOAD' ELSE via END, via_list,
       path
  FROM loaded_version WHERE family = 'nccl'
UNION
SELECT 'stub-libcuda', 'machine', CASE how WHEN 'preload' THEN 'LD_PRELOAD' ELSE via END, via_list, path
  FROM loaded_libcuda WHERE stub = 1
UNION
SELECT 'cuda-compat-misused', 'machine', via, via_list, path FROM front_compat
UNION
SELECT 'driver-library-mismatch', 'machine', via, via_list, path FROM loaded_libcuda
 WHERE stub = 0 AND compat = 0
UNION
SELECT 'libcuda-not-found', 'machine', via, list, path FROM linux_libcuda;

-- What to take out of LD_LIBRARY_PATH for that: all such elements at once, and what is left of it.
CREATE TABLE path_step AS
SELECT rule, subject, group_concat(element, ' and ') FILTER (WHERE faulty) AS element,
       group_concat(element, ':') FILTER (WHERE NOT faulty) AS rest
  FROM (SELECT f.rule, f.subject, e.element,
               EXISTS (SELECT 1 FROM path_fault b
                        WHERE b.rule = f.rule AND b.subject = f.subject
                          AND b.via = 'LD_LIBRARY_PATH' AND rtrim(b.list, '/') = e.folder) AS faulty
          FROM (SELECT DISTINCT rule, subject FROM path_fault WHERE via = 'LD_LIBRARY_PATH') f
         CROSS JOIN path_element e ORDER BY f.rule, f.subject, e.position)
 GROUP BY rule, subject HAVING sum(faulty) > 0;

-- The same of LD_PRELOAD. `file`: preloaded by /etc/ld.so.preload instead.
CREATE TABLE preload_step AS
WITH fault AS MATERIALIZED (
SELECT DISTINCT rule, subject, path FROM path_fault WHERE via = 'LD_PRELOAD')
SELECT rule, subject, group_concat(element, ' and ') FILTER (WHERE faulty) AS element,
       group_concat(element, ':') FILTER (WHERE NOT faulty) AS rest, NULL AS file
  FROM (SELECT f.rule, f.subject, e.element,
               EXISTS (SELECT 1 FROM fault b
                        WHERE b.rule = f.rule AND b.subject = f.subject
                          AND (b.path = e.element OR ends_with(b.path, '/' || e.element))) AS faulty
          FROM (SELECT DISTINCT rule, subject FROM fault) f
         CROSS JOIN preload_element e ORDER BY f.rule, f.subject, e.position)
 GROUP BY rule, subject HAVING sum(faulty) > 0
UNION ALL
SELECT rule, subject, NULL, NULL, path FROM fault b
 WHERE NOT EXISTS (SELECT 1 FROM preload_element e
                    WHERE b.path = e.element OR ends_with(b.path, '/' || e.element));

-- What a GPU's makers call it for: geforce, workstation, datacenter, jetson, with laptops' kinds cut.
CREATE TABLE gpu_class AS
SELECT g.gpu_id, g.name,
       CASE WHEN g.name LIKE '%GeForce%' OR g.name LIKE '%TITAN%' THEN 'geforce'
            ELSE (SELECT min(replace(m.gpu_class, '-laptop', '')) FROM m_gpu m
                   WHERE m.smi_name = g.name OR m.name = g.name
                      OR 'NVIDIA ' || m.name = g.name
                  HAVING count(DISTINCT replace(m.gpu_class, '-laptop', '')) = 1) END AS class
  FROM own_gpu g;

-- ---------------------------------------------------------------- device code in files

-- Code in a framework's own files that can run: what is linked, and what waits for a device link
-- only in files that hold nothing else. Each kind and target once, however many files have it.
CREATE TABLE framework_code AS
SELECT c.framework_id, c.kind, c.target, c.cc, c.cc_key, c.suffix, max(c.isa_key) AS isa_key,
       min(c.isa_low_key) AS isa_low_key, min(c.path) AS path
  FROM device_code c
 WHERE c.framework_id IS NOT NULL AND c.kind IN ('cubin', 'ptx')
   AND (c.place = 'linked'
        OR (c.place = 'relocatable'
            AND NOT EXISTS (SELECT 1 FROM device_code l
                             WHERE l.framework_id = c.framework_id AND l.path = c.path
                               AND l.place = 'linked')))
 GROUP BY c.framework_id, c.kind, c.target;

-- What became of a framework's files. Those of which something was skipped, or that hold no more
-- than the empty container of a device link, leave it open what code there is; so do those whose
-- code is all link-time code or of a kind that is not known.
CREATE TABLE framework_files AS
SELECT d.framework_id, count(*) AS files, sum(d.status = 'code') AS with_code,
       sum(d.status IN ('stub', 'broken', 'unread') OR d.problem IS NOT NULL
           OR (d.status = 'code' AND c.path IS NULL)) AS in_doubt,
       min(CASE WHEN d.status = 'code' THEN d.path END) AS path
  FROM device_file d
  LEFT JOIN (SELECT DISTINCT framework_id, path FROM device_code
              WHERE kind IN ('cubin', 'ptx') AND place <> 'stub') c
    ON c.framework_id = d.framework_id AND c.path = d.path
 WHERE d.framework_id IS NOT NULL GROUP BY d.framework_id;

-- How that code serves each compute capability that is here; of PTX that would be compiled for it
-- also the highest and the lowest ISA version.
CREATE TABLE framework_on_cc AS
SELECT framework_id, gpu_cc, max(runs = 'native') AS native, max(runs = 'ptx') AS by_ptx,
       max(runs = 'across') AS across,
       max(CASE WHEN runs = 'ptx' THEN isa_key END) AS isa_key,
       min(CASE WHEN runs = 'ptx' THEN isa_low_key END) AS isa_low_key,
       max(CASE WHEN runs = 'ptx' THEN printf('%06d', cc_key) || target END) AS best_ptx
  FROM (SELECT c.*, g.cc AS gpu_cc, code_runs(c.kind, c.cc, c.suffix, g.cc) AS runs
          FROM framework_code c
         CROSS JOIN (SELECT DISTINCT cc FROM merged_gpu WHERE cc IS NOT NULL) g)
 GROUP BY framework_id, gpu_cc;

-- How a framework's build serves a GPU, and who says so: its files where they were read and either
-- serve it or leave nothing open, else what is on record of such a build.
CREATE TABLE build_on_gpu AS
WITH record AS MATERIALIZED (
SELECT c.framework_id, g.gpu_id, c.confidence, c.sass, c.ptx,
       code_runs('cubin', c.cc, NULL, g.cc) AS runs, code_runs('ptx', c.cc, NULL, g.cc) AS ptx_runs
  FROM build_code c CROSS JOIN merged_gpu g),
on_record AS MATERIALIZED (
SELECT framework_id, gpu_id, max(sass AND runs = 'native') AS native,
       max(ptx AND ptx_runs = 'ptx') AS by_ptx, max(sass AND runs = 'across') AS across,
       CASE WHEN sum(confidence = 'low') > 0 THEN 'low'
            WHEN sum(confidence = 'medium') > 0 THEN 'medium' ELSE 'high' END AS confidence
  FROM record GROUP BY framework_id, gpu_id)
SELECT f.framework_id, g.gpu_id, g.cc AS gpu_cc, d.files, d.in_doubt,
       CASE WHEN o.native OR o.by_ptx OR (d.with_code > 0 AND d.in_doubt = 0) THEN 'files'
            WHEN r.native IS NOT NULL THEN 'record' END AS told_by,
       CASE WHEN o.native OR o.by_ptx OR (d.with_code > 0 AND d.in_doubt = 0)
            THEN coalesce(o.native, 0) ELSE r.native END AS native,
       CASE WHEN o.native OR o.by_ptx OR (d.with_code > 0 AND d.in_doubt = 0)
            THEN coalesce(o.by_ptx, 0) ELSE r.by_ptx END AS by_ptx,
       CASE WHEN o.native OR o.by_ptx OR (d.with_code > 0 AND d.in_doubt = 0)
            THEN coalesce(o.across, 0) ELSE r.across END AS across,
       o.isa_key, o.isa_low_key, substr(o.best_ptx, 7) AS best_ptx, d.path,
       CASE WHEN o.native OR o.by_ptx OR (d.with_code > 0 AND d.in_doubt = 0) THEN 'high'
            ELSE r.confidence END AS confidence
  FROM cuda_framework f CROSS JOIN merged_gpu g
  LEFT JOIN framework_files d ON d.framework_id = f.framework_id
  LEFT JOIN framework_on_cc o ON o.framework_id = f.framework_id AND o.gpu_cc = g.cc
  LEFT JOIN on_record r ON r.framework_id = f.framework_id AND r.gpu_id = g.gpu_id;
CREATE INDEX build_on_gpu_key ON build_on_gpu (framework_id, gpu_id);

-- The same code in words, by compute capability.
CREATE TABLE framework_code_words AS
SELECT framework_id, group_concat(target, ', ') AS codes
  FROM (SELECT framework_id, target FROM framework_code
         ORDER BY framework_id, kind, cc_key, suffix)
 GROUP BY framework_id;

-- Frameworks whose code can be judged: by what is on record where they stand for themselves and
-- ship code, by their files otherwise.
CREATE TABLE framework_with_code AS
SELECT f.framework_id, f.companion_of IS NOT NULL AS is_companion
  FROM cuda_framework f
 WHERE (f.companion_of IS NULL AND f.device_code IS NULL)
    OR EXISTS (SELECT 1 FROM framework_files d
                WHERE d.framework_id = f.framework_id AND d.with_code > 0);

-- PTX that the driver accepts: for a CUDA that is on record exactly, else at least that of an older
-- one.
CREATE TABLE driver_ptx AS
SELECT d.version, d.version_key, d.path, d.cuda, d.cuda_key, e.isa, e.isa_key,
       (SELECT max(i.isa_key) FROM m_ptx_isa i WHERE i.cuda_key <= d.cuda_key) AS at_least_key,
       CASE WHEN d.cuda_confidence = 'low' OR e.confidence = 'low' THEN 'low'
            WHEN d.cuda_confidence = 'medium' OR e.confidence = 'medium' THEN 'medium'
            ELSE 'high' END AS confidence
  FROM loaded_driver d LEFT JOIN m_ptx_isa e ON e.cuda_key = d.cuda_key;

-- What a framework compiles with when it runs, and what links that without the driver: packages of
-- its environment, the newest of each role.
CREATE TABLE run_time_part AS
WITH part AS MATERIALIZED (
SELECT f.framework_id, r.role, r.by_itself, p.name AS package, p.version, cuda_key(p.version) AS cuda_key
  FROM framework f CROSS JOIN m_run_time_compiler r ON r.framework = f.name
  CROSS JOIN package p ON p.environment_id = f.environment_id AND p.name = r.package)
SELECT framework_id, role, package, version, isa, isa_key, by_itself FROM (
SELECT p.*, i.isa, i.isa_key,
       row_number() OVER (PARTITION BY p.framework_id, p.role
                          ORDER BY i.isa_key IS NULL, i.isa_key DESC, p.package) AS place
  FROM part p LEFT JOIN m_ptx_isa i ON i.cuda_key = p.cuda_key)
 WHERE place = 1;

-- ---------------------------------------------------------------- what would work instead

-- Who replaces a framework: the manager that installed it. 'none' where a line would be undone or
-- refused: what pixi installed from PyPI, pixi's environments with a feature of their own, and the
-- distribution's own packages.
CREATE TABLE replacer AS
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
            THEN before_last(e.prefix, '/.pixi/') END AS project
  FROM framework f JOIN environment e ON e.environment_id = f.environment_id;

-- Environment, driver and companions of a framework, as a build has to fit them.
CREATE TABLE wanted AS
WITH beside AS MATERIALIZED (
SELECT p.environment_id, x.framework, max(x.role = 'vision') AS vision,
       max(x.role = 'audio') AS audio
  FROM package p JOIN m_framework_package x ON x.package = p.name
 GROUP BY p.environment_id, x.framework)
SELECT f.framework_id, f.environment_id, f.name, f.release, f.cuda_tag, f.cuda_key, f.package,
       f.channel, r.manager, r.project, e.prefix, i.python_path, e.python AS python_version, h.arch, h.glibc_key,
       d.cuda AS driver_cuda, d.cuda_key AS driver_cuda_key, d.version_key AS driver_key,
       coalesce(b.vision, 0) AS has_vision, coalesce(b.audio, 0) AS has_audio
  FROM framework f JOIN environment e ON e.environment_id = f.environment_id
  JOIN replacer r ON r.framework_id = f.framework_id
  JOIN interpreter i ON i.environment_id = e.environment_id
  CROSS JOIN host h LEFT JOIN loaded_driver d
  LEFT JOIN beside b ON b.environment_id = f.environment_id AND b.framework = f.name;
CREATE INDEX wanted_key ON wanted (framework_id);

-- What serves a compute capability, build by build: machine code of the same major that is not newer, or
-- PTX (no major) that is not newer. No fact is in it: it is made with the rules.
CREATE TABLE build_floor AS
SELECT framework, version, cuda_tag, platform, cc_key / 100 AS major, min(cc_key) AS cc_key
  FROM m_framework_arch WHERE channel = 'pytorch-index' AND sass
 GROUP BY framework, version, cuda_tag, platform, cc_key / 100
UNION ALL
SELECT framework, version, cuda_tag, platform, NULL, min(cc_key)
  FROM m_framework_arch WHERE channel = 'pytorch-index' AND ptx
 GROUP BY framework, version, cuda_tag, platform;
CREATE INDEX build_floor_key ON build_floor (framework, version, cuda_tag, platform);

-- Builds that hold machine code for every GPU here.
CREATE TABLE native_build AS
WITH here AS MATERIALIZED (SELECT DISTINCT cc, cc_key FROM own_gpu),
served AS (
SELECT DISTINCT a.framework, a.version, a.cuda_tag, a.platform, g.cc
  FROM here g JOIN m_framework_arch a
    ON a.sass AND a.cc_key / 100 = g.cc_key / 100
   AND code_runs('cubin', a.cc, NULL, g.cc) = 'native')
SELECT framework, version, cuda_tag, platform FROM served
 GROUP BY framework, version, cuda_tag, platform HAVING count(*) = (SELECT count(*) FROM here);

-- Builds of PyTorch whose cuDNN leaves out a GPU that is here: their own code runs on it, convolutions do
-- not.
CREATE TABLE without_cudnn AS
SELECT DISTINCT b.version, b.cuda_tag
  FROM m_cudnn c CROSS JOIN m_torch_build b
    ON b.cuda_major = c.cuda_major AND b.cudnn LIKE c.cudnn || '.%'
 WHERE c.min_cc_key > (SELECT min(cc_key) FROM gpu_cc);

-- Builds that driver, every GPU, Python and glibc can run, each table of the matrix in the same shape: torch,
-- jax and tensorflow are named here because m_torch_build, m_jax_build and m_tf_build are theirs. What
-- moves along with a framework is replaced alone where it alone is at fault, by the build that pairs with
-- the framework at hand. The best has the highest fit (this release, then the driver's CUDA major), then
-- the newest release, then the CUDA nearest to the driver's. conda solves for a release by itself: what
-- has to be said there is the CUDA major, without a version.
CREATE TABLE usable_build AS
SELECT w.framework_id, b.version, b.cuda_tag, b.cuda, b.cuda_key, b.torchvision, b.torchaudio,
       NULL AS extra, b.find_links IS NOT NULL AS find_links,
       (b.version = w.release) * 4 + (b.cuda_major = w.driver_cuda_key / 100) * 2
       - 8 * EXISTS (SELECT 1 FROM without_cudnn n
                      WHERE n.version = b.version AND n.cuda_tag = b.cuda_tag) AS fit,
       b.release_date
  FROM wanted w CROSS JOIN m_torch_build b
    ON w.name = 'torch' AND b.confidence <> 'low' AND b.track <> 'extra'
   AND (b.cuda_key <= w.driver_cuda_key
        OR (b.cuda_major = w.driver_cuda_key / 100 AND b.cuda_major >= 11))
   AND (b.min_driver_key IS NULL OR w.driver_key IS NULL OR b.min_driver_key <= w.driver_key)
   AND CASE w.arch WHEN 'x86_64' THEN b.x86_64 WHEN 'aarch64' THEN b.aarch64 END
   AND (w.glibc_key IS NULL OR b.glibc_min_key <= w.glibc_key)
   AND (w.python_version IS NULL OR b.python_spec IS NULL
        OR pep440_match(b.python_spec, w.python_version))
 WHERE NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE NOT EXISTS
       (SELECT 1 FROM build_floor a
         WHERE a.framework = w.name AND a.version = b.version AND a.cuda_tag = b.cuda_tag
           AND a.platform = w.arch AND a.cc_key <= g.cc_key
           AND coalesce(a.major, g.cc_key / 100) = g.cc_key / 100))
UNION ALL
SELECT w.framework_id, b.version, NULL, b.cuda_major, b.cuda_major * 100, NULL, NULL, b.pip_extra,
       b.find_links IS NOT NULL,
       (b.version = w.release) * 4 + (b.cuda_major = w.driver_cuda_key / 100) * 2, b.release_date
  FROM wanted w CROSS JOIN m_jax_build b
    ON w.name = 'jax' AND b.confidence <> 'low' AND b.cuda_major <= w.driver_cuda_key / 100
   AND (b.min_driver_key IS NULL OR w.driver_key IS NULL OR b.min_driver_key <= w.driver_key)
   AND CASE w.arch WHEN 'x86_64' THEN b.x86_64 WHEN 'aarch64' THEN b.aarch64 END
   AND (w.python_version IS NULL OR b.python_spec IS NULL
        OR pep440_match(b.python_spec, w.python_version))
 WHERE NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE g.cc_key < b.min_cc_key)
UNION ALL
SELECT w.framework_id, b.version, NULL, b.cuda_major, b.cuda_major * 100, NULL, NULL, NULL, 0,
       (b.version = w.release) * 8 + (b.beyond_rpath IS NULL) * 4
         + (b.cuda_major = w.driver_cuda_key / 100) * 2, b.release_date
  FROM wanted w CROSS JOIN m_tf_build b
    ON w.name = 'tensorflow' AND b.pip_extra IS NOT NULL
   AND b.cuda_major <= w.driver_cuda_key / 100
   AND (w.arch = 'x86_64' OR b.aarch64_gpu)
   AND (w.python_version IS NULL OR b.python_spec IS NULL
        OR pep440_match(b.python_spec, w.python_version))
 WHERE NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE g.cc_key < b.min_cc_key)
UNION ALL
SELECT w.framework_id,
       CASE x.role WHEN 'vision' THEN b.torchvision ELSE b.torchaudio END,
       b.cuda_tag, b.cuda, b.cuda_key, NULL, NULL, NULL, 0, 0, b.release_date
  FROM wanted w JOIN m_framework_package x ON x.package = w.name AND x.role IN ('vision', 'audio')
  JOIN cuda_framework t ON t.environment_id = w.environment_id AND t.name = x.framework
  JOIN m_torch_build b ON b.version = t.release AND b.cuda_tag = t.build_tag
 WHERE t.channel IN ('pypi', 'pytorch')
   AND CASE x.role WHEN 'vision' THEN b.torchvision ELSE b.torchaudio END IS NOT NULL
UNION ALL
SELECT w.framework_id, NULL, NULL, c.cuda_major, c.cuda_major * 100, NULL, NULL, NULL, NULL, 1, NULL
  FROM wanted w CROSS JOIN m_fixes c
    ON c.framework = w.name AND c.manager = 'conda' AND c.situation = 'install'
   AND c.status = 'current' AND c.cuda_major <= w.driver_cuda_key / 100
   AND (c.min_driver_key IS NULL OR w.driver_key IS NULL OR c.min_driver_key <= w.driver_key)
 WHERE w.manager IN ('conda', 'micromamba', 'pixi')
   AND NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE g.cc_key < c.min_cc_key);
CREATE INDEX usable_build_key ON usable_build (framework_id);

-- The line that installs it into the environment at hand. `installed`: it is the build that is there, by
-- number and tag; conda picks the release itself, so there it is not known to be.
CREATE VIEW usable_build_line AS
SELECT w.framework_id, r.command, w.python_path AS python, w.prefix, w.project, w.driver_cuda,
       w.name || coalesce(' ' || b.version, '') || ' for CUDA ' || b.cuda
       || CASE WHEN b.version <> w.release THEN ', instead of ' || w.release ELSE '' END AS build,
       b.version, b.cuda_tag,
       CASE WHEN b.version IS NULL THEN 0
            ELSE b.version = w.release AND b.cuda_tag IS w.cuda_tag
                 AND b.cuda_key / 100 = w.cuda_key / 100 END AS installed,
       b.cuda_key / 100 AS cuda_major, b.torchvision, b.torchaudio, b.extra, b.fit,
       b.release_date,
       CASE WHEN b.version IS NULL THEN b.cuda_key
            ELSE -2 * abs(b.cuda_key - w.driver_cuda_key) - (b.cuda_key > w.driver_cuda_key)
        END AS near
  FROM wanted w JOIN usable_build b ON b.framework_id = w.framework_id
  JOIN m_reinstall r ON r.framework = w.name AND r.manager = w.manager
 WHERE CASE WHEN b.version IS NULL THEN 1
            WHEN w.manager IN ('pip', 'pip-system', 'uv')
            THEN r.find_links = b.find_links
                 AND r.companions = CASE WHEN w.has_vision AND w.has_audio THEN 'both'
                                         WHEN w.has_vision THEN 'vision'
                                         WHEN w.has_audio THEN 'audio' ELSE 'none' END
                 AND CASE r.companions
                          WHEN 'both' THEN b.torchvision IS NOT NULL AND b.torchaudio IS NOT NULL
                          WHEN 'vision' THEN b.torchvision IS NOT NULL
                          WHEN 'audio' THEN b.torchaudio IS NOT NULL ELSE 1 END END;

-- Wheels that hold what a framework misses, one for each soname: of the framework's own CUDA, and only
-- where the driver runs that and the framework that leads the environment is not built for another. `searched`
-- is 0 for those that neither have a path to the folders of wheels nor load out of them themselves.
CREATE TABLE wheel_to_install AS
WITH miss AS MATERIALIZED (
SELECT DISTINCT framework_id, environment_id, name, own_path FROM missing_library
 WHERE sure AND NOT shipped AND (known OR name IN (SELECT soname FROM m_pip_nvidia)))
SELECT m.framework_id, w.manager, w.python_path AS python, w.prefix, m.name, n.package,
       n.package || coalesce(
         (SELECT q.specifier FROM requirement q
           WHERE q.environment_id = m.environment_id AND q.requires = n.package
             AND q.specifier LIKE '==%' LIMIT 1),
         CASE WHEN n.kind = 'cudnn' THEN '==' || o.provider_major || '.*' END) AS spec,
       (SELECT p.site || '/' || n.site_dir FROM package p
         WHERE p.environment_id = m.environment_id AND p.name = w.package LIMIT 1) AS folder,
       NOT coalesce((SELECT d.ignores_wheels FROM framework_descriptor d WHERE d.name = w.name), 0)
       OR coalesce(m.own_path LIKE '%nvidia%', 0) AS searched
  FROM miss m
  JOIN framework_major j ON j.framework_id = m.framework_id
  JOIN wanted w ON w.framework_id = m.framework_id
  LEFT JOIN soname_owner o ON o.soname = m.name
  JOIN m_pip_nvidia n
    ON n.soname = CASE o.provider WHEN 'cudnn' THEN 'libcudnn.so.9' ELSE m.name END
   AND n.cuda_major = j.cuda_major
   AND n.use_instead IS NULL AND n.kind NOT IN ('fake', 'placeholder', 'obsolete')
 WHERE (w.driver_cuda_key IS NULL OR w.driver_cuda_key / 100 >= n.cuda_major)
   AND NOT EXISTS (SELECT 1 FROM framework_major t
                    WHERE t.environment_id = m.environment_id AND t.leads
                      AND t.cuda_major <> n.cuda_major)
   -- a framework beside it wants another major of cuDNN, whose wheel has the same name
   AND NOT (n.kind = 'cudnn'
            AND EXISTS (SELECT 1 FROM requirement q
                         WHERE q.environment_id = m.environment_id AND q.requires = n.package
                           AND q.specifier LIKE '==%'
                           AND q.specifier NOT LIKE '==' || o.provider_major || '.%'))
 GROUP BY m.framework_id, n.package;

-- The framework's own extra that brings all of them: tensorflow[and-cuda], onnxruntime-gpu[cuda,cudnn].
-- The package cuda-toolkit stands for any of the toolkit's; cuDNN's wheels ask for cuBLAS themselves.
CREATE TABLE extra_to_install AS
WITH brings AS (
SELECT DISTINCT i.framework_id, i.manager, i.python, i.prefix, i.package AS wheel, w.package,
       w.release, x.extra
  FROM wheel_to_install i JOIN wanted w ON w.framework_id = i.framework_id
  JOIN requirement x ON x.environment_id = w.environment_id AND x.package = w.package
   AND x.extra IS NOT NULL
   AND (x.requires = i.package
        OR (x.requires = 'cuda-toolkit' AND i.package NOT LIKE 'nvidia-cudnn%'
            AND coalesce(CAST(ltrim(x.specifier, '=~>') AS INTEGER), 0) IN (0, CASE WHEN i.package LIKE '%-cu12' THEN 12 ELSE 13 END))
        OR (x.requires LIKE 'nvidia-cudnn-cu1_' AND i.package LIKE 'nvidia-cublas%')))
SELECT framework_id, manager, python, prefix, package,
       package || '[' || group_concat(extra, ',') || ']==' || release AS spec
  FROM (SELECT DISTINCT framework_id, manager, python, prefix, package, release, extra FROM brings
         ORDER BY extra) b
 WHERE NOT EXISTS (SELECT 1 FROM wheel_to_install i
                    WHERE i.framework_id = b.framework_id
                      AND i.package NOT IN (SELECT wheel FROM brings o
                                             WHERE o.framework_id = b.framework_id))
 GROUP BY framework_id;

-- Wheels that ship what is missing, in folders where it lies, though the search does not come there. A
-- recorded tree may leave the files out.
CREATE TABLE unsearched_folder AS
SELECT DISTINCT m.framework_id, m.name, s.package, s.cuda_major, s.folder
  FROM missing_library m
  JOIN shipped_soname s ON s.environment_id = m.environment_id AND s.soname = m.name
 WHERE m.sure AND m.state IS NULL
   AND (EXISTS (SELECT 1 FROM library l
                 WHERE l.environment_id = m.environment_id AND l.path = s.folder || '/' || m.name)
        OR (EXISTS (SELECT 1 FROM host WHERE partial = 1)
            AND NOT instr(coalesce(m.trail, '') || ':',
                          '/' || replace(s.site_dir, 'nvidia/', '') || '/' || m.name || ':')));

-- Packages to install again: their file is broken, or they say to ship what is missing and it is not in
-- their folder: it was deleted, or another package's removal took it along. A build that does not stand
-- in PyPI comes from its own index. A major of cuDNN ships no other's libraries.
CREATE TABLE package_to_repair AS
WITH flawed AS MATERIALIZED (
-- a wheel's RUNPATH comes to its neighbour's file by "torch/lib/../../nvidia"
SELECT framework_id, environment_id, name, state, normal_path(file) AS file
  FROM missing_library WHERE state IS NOT NULL),
broken AS (
SELECT m.framework_id, m.environment_id, m.name, p.name AS package, p.version, p.kind, m.state
  FROM flawed m
  JOIN package p ON p.environment_id = m.environment_id AND p.kind = 'dist'
   AND is_below(m.file, p.site)
  JOIN m_pip_nvidia n ON n.package = p.name
   AND (n.soname = m.name OR ends_with(m.name, '/' || n.soname)
        OR (n.kind = 'cudnn' AND m.name LIKE '%libcudnn\_%' ESCAPE '\'))
   AND instr(m.file, '/' || replace(n.site_dir, 'nvidia/', '') || '/') > 0
 WHERE m.state <> 'for another kind of machine'
UNION
SELECT m.framework_id, m.environment_id, m.name, p.name, p.version, p.kind, m.state
  FROM flawed m
  JOIN package p ON p.environment_id = m.environment_id AND p.kind = 'conda'
  JOIN environment e ON e.environment_id = p.environment_id
  JOIN m_conda_cuda c ON c.package = p.name AND c.soname = m.name AND c.role = 'library'
 WHERE is_below(m.file, e.prefix || '/lib')
UNION
SELECT m.framework_id, m.environment_id, m.name, p.name, p.version, p.kind, m.state
  FROM flawed m
  JOIN framework f ON f.environment_id = m.environment_id
  JOIN package p ON p.environment_id = f.environment_id AND p.name = f.package AND p.kind = 'dist'
 WHERE is_below(m.file, p.site || '/' || replace(f.name, '-', '_'))
UNION
SELECT m.framework_id, m.environment_id, m.name, s.package, s.version, 'dist', 'gone'
  FROM missing_library m
  JOIN shipped_soname s ON s.environment_id = m.environment_id AND s.soname = m.name
   AND s.site IS NOT NULL
  JOIN framework_major j ON j.framework_id = m.framework_id
   AND coalesce(s.cuda_major, j.cuda_major) IS j.cuda_major
 WHERE m.state IS NULL AND m.sure
   AND NOT (m.name LIKE 'libcudnn%' AND m.name NOT LIKE '%.so.' || CAST(s.version AS INTEGER))
   AND (NOT EXISTS (SELECT 1 FROM host WHERE partial = 1)
        -- a wheel of NVIDIA's comes to its neighbour by "../../nvjitlink/lib"
        OR instr(coalesce(m.trail, '') || ':',
                 '/' || replace(s.site_dir, 'nvidia/', '') || '/' || m.name || ':'))
   AND NOT EXISTS (SELECT 1 FROM library l
                    WHERE l.environment_id = m.environment_id AND l.path IN
                          (s.folder || '/' || m.name,
                           s.site || '/' || replace(s.site_dir, 'nvidia/', '') || '/' || m.name)))
SELECT b.framework_id,
       CASE WHEN b.kind = 'conda' AND e.manager = 'pixi' THEN 'pixi'
            WHEN b.kind = 'conda' AND e.prefix GLOB '*/micromamba/*' THEN 'micromamba'
            WHEN b.kind = 'conda' THEN 'conda'
            WHEN p.installer = 'uv' THEN 'uv'
            WHEN e.externally_managed = 1 THEN 'pip-system' ELSE 'pip' END AS manager,
       i.python_path AS python, e.prefix,
       before_last(e.prefix, '/.pixi/') AS project, b.name, b.package,
       b.package || '==' || b.version AS spec, b.state,
       CASE WHEN b.version LIKE '%+cu%' AND f.name IN ('torch', 'torchvision', 'torchaudio')
            THEN 'reinstall-index' ELSE 'reinstall' END AS action,
       after_first(b.version, '+') AS cuda_tag
  FROM broken b JOIN environment e ON e.environment_id = b.environment_id
  JOIN interpreter i ON i.environment_id = b.environment_id
  JOIN package p ON p.environment_id = b.environment_id AND p.name = b.package AND p.kind = b.kind
  LEFT JOIN framework f ON f.environment_id = b.environment_id AND f.package = b.package
 GROUP BY b.framework_id, b.package;

-- The same from conda, where that is who installed the framework.
CREATE TABLE conda_to_install AS
SELECT m.framework_id, w.manager, w.prefix, w.project, m.name, c.package, j.cuda_major
  FROM missing_library m
  JOIN framework_major j ON j.framework_id = m.framework_id
  JOIN wanted w ON w.framework_id = m.framework_id AND w.manager IN ('conda', 'micromamba', 'pixi')
  JOIN m_conda_cuda c ON c.soname = m.name AND c.channel = 'conda-forge' AND c.role = 'library'
 WHERE m.sure AND NOT m.shipped AND j.cuda_major IS NOT NULL
 GROUP BY m.framework_id, c.package;

-- Builds of frameworks that have no table of builds of their own, for the CUDA major of the framework that
-- leads the environment, else for the driver's. `drops`: what is installed goes by another name, owns the
-- same files and has to be removed first.
CREATE VIEW other_build AS
SELECT w.framework_id, x.id, x.command, x.situation, x.rank, x.cuda_major AS major, w.manager,
       w.python_path AS python, w.prefix, w.project,
       CASE WHEN x.distribution <> w.package THEN w.package END AS drops,
       coalesce((SELECT coalesce(f.title, f.name) || ' of the same environment uses' FROM framework f
                  WHERE f.framework_id = t.framework_id), 'this driver runs') AS because
  FROM wanted w
  LEFT JOIN framework_major t ON t.environment_id = w.environment_id AND t.leads
  JOIN m_other_line x ON x.framework = w.name AND x.manager = w.manager
   AND x.cuda_major = coalesce(t.cuda_major, w.driver_cuda_key / 100)
   AND (x.min_driver_key IS NULL OR w.driver_key IS NULL OR x.min_driver_key <= w.driver_key)
   AND (x.platform IS NULL OR x.platform = w.arch)
 WHERE x.cuda_major IS NOT (SELECT cuda_major FROM framework_major j
                             WHERE j.framework_id = w.framework_id AND w.name NOT IN
                                   (SELECT d.name FROM framework_descriptor d
                                     WHERE d.companion_of IS NOT NULL));

-- Plugins for another CUDA than that of the best build: a framework takes the newest that it finds.
CREATE TABLE other_plugin AS
SELECT w.framework_id, w.manager, w.python_path AS python, w.prefix, p.name AS package,
       (SELECT coalesce(f.title, f.name) FROM framework f WHERE f.framework_id = w.framework_id)
         AS framework
  FROM wanted w JOIN m_framework_package x ON x.framework = w.name AND x.role = 'plugin'
  JOIN package p ON p.environment_id = w.environment_id AND p.name = x.package AND p.kind = 'dist'
 WHERE x.cuda_major <> (SELECT cuda_major FROM usable_build_line l
                         WHERE l.framework_id = w.framework_id
                         ORDER BY fit DESC, release_date DESC, near DESC LIMIT 1);

-- Releases of what only works beside another framework that are compiled for the one that is here. Those of
-- PyTorch's own index stand there under the same number.
CREATE TABLE paired_release AS
SELECT w.framework_id, w.manager, w.python_path AS python, w.prefix, w.package,
       w.package || '==' || o.version_max AS spec, coalesce(t.title, t.name) AS first, t.version,
       CASE WHEN t.version LIKE '%+cu%' AND t.channel = 'pytorch' THEN 'reinstall-index'
            ELSE 'reinstall' END AS action, t.cuda_tag
  FROM wanted w JOIN framework_before b ON b.framework_id = w.framework_id
  JOIN framework t ON t.framework_id = b.before_id
  JOIN m_others_build o ON o.package = w.name AND o.dist = w.package AND o.extra IS NULL
   AND o.channel = 'pypi' AND o.version_min = o.version_max AND o.torch_spec IS NOT NULL
   AND o.confidence <> 'low' AND pep440_match(o.torch_spec, t.release) = 1
   AND coalesce(pep440_match(o.python_spec, w.python_version), 1) = 1
 WHERE w.manager IN ('pip', 'pip-system', 'uv') AND w.release IS NOT o.version_max
   AND NOT EXISTS (SELECT 1 FROM m_others_build n
                    WHERE n.package = o.package AND n.dist = o.dist AND n.extra IS NULL
                      AND n.channel = 'pypi' AND n.version_min = n.version_max
                      AND n.confidence <> 'low' AND pep440_match(n.torch_spec, t.release) = 1
                      AND pep440_cmp(n.version_max, o.version_max) > 0);

-- Packages whose library lacks a symbol, in the version that a requirement of the environment names.
CREATE TABLE provider_to_install AS
SELECT t.framework_id, w.manager, w.python_path AS python, w.prefix, n.package, q.package AS asker,
       p.version AS has, n.package || q.specifier AS spec
  FROM told_symbol t
  JOIN library l ON l.environment_id = t.environment_id AND l.path = t.provider
  JOIN m_pip_nvidia n ON n.soname = l.soname AND n.kind NOT IN ('fake', 'placeholder', 'obsolete')
  JOIN package p ON p.environment_id = t.environment_id AND p.name = n.package AND p.site = l.site
  JOIN requirement q ON q.environment_id = t.environment_id AND q.requires = n.package
   AND q.specifier LIKE '==%' AND pep440_match(q.specifier, p.version) = 0
  JOIN wanted w ON w.framework_id = t.framework_id
 GROUP BY t.framework_id, n.package;

-- The wheel of cuDNN or NCCL that a framework was built with: as a requirement pins it, else not older.
-- One that is there already is not installed again; `pinned_by` asks for another major of it.
CREATE TABLE version_to_install AS
WITH wheel AS (
SELECT b.framework_id, b.environment_id, b.family, b.major, n.package,
       coalesce((SELECT q.specifier FROM requirement q
                  WHERE q.environment_id = b.environment_id AND q.requires = n.package
                    AND q.specifier LIKE '==' || b.major || '.%' LIMIT 1),
                '>=' || b.version || ',<' || (b.major + 1)) AS specifier,
       (SELECT q.package FROM requirement q
         WHERE q.environment_id = b.environment_id AND q.requires = n.package
           AND q.specifier LIKE '==%' AND q.specifier NOT LIKE '==' || b.major || '.%'
         ORDER BY q.package LIMIT 1) AS pinned_by
  FROM built_with b JOIN framework_major j ON j.framework_id = b.framework_id
  JOIN m_pip_nvidia n ON n.kind = b.family AND n.cuda_major = j.cuda_major
   AND n.soname IN ('libcudnn.so.9', 'libnccl.so.2') AND n.package NOT LIKE '%jit%'
 GROUP BY b.framework_id, b.family, n.package)
SELECT v.framework_id, v.family, w.manager, w.python_path AS python, w.prefix, v.package,
       v.package || v.specifier AS spec, v.pinned_by, v.major
  FROM wheel v JOIN wanted w ON w.framework_id = v.framework_id
 WHERE NOT EXISTS (SELECT 1 FROM package p
                    WHERE p.environment_id = v.environment_id AND p.name = v.package
                      AND p.kind = 'dist' AND pep440_match(v.specifier, p.version) = 1);

-- Driver branches that serve every GPU here.
CREATE TABLE fitting_branch AS
SELECT b.branch, b.cuda_max, b.cuda_max_key, b.first_version_key, b.ended
  FROM m_driver_branch b
 WHERE b.confidence <> 'low'
   AND NOT EXISTS (SELECT 1 FROM gpu_cc g WHERE g.cc_key < b.min_cc_key
                       OR (g.cc_key > b.max_cc_key AND g.cc_key / 100 > b.max_cc_key / 100));

-- Those in support, the oldest is the most conservative. Where there is none, the last that serves
-- an old GPU, as far as distributions still carry it.
CREATE TABLE suitable_branch AS
SELECT * FROM fitting_branch f
 WHERE NOT f.ended
    OR (f.branch >= 470 AND f.branch = (SELECT max(branch) FROM fitting_branch)
        AND NOT EXISTS (SELECT 1 FROM fitting_branch WHERE NOT ended))
 ORDER BY branch;

-- The flavour of the kernel module that every GPU here can use.
CREATE TABLE suitable_flavour AS
SELECT CASE WHEN min(cc_key) < 705 THEN 'proprietary' ELSE 'open' END AS flavour
  FROM own_gpu WHERE cc_key IS NOT NULL;

-- Under which names the matrix has commands for this system; none in a container, whose driver is
-- the host's, and none where a package manager cannot change the system image.
CREATE TABLE host_distro AS
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

-- Environments, and the frameworks in them, that `gpudoctor check` reads only when it is told to. Those of
-- an image are checked from outside, as they were.
CREATE TABLE other_environment AS
SELECT e.environment_id AS key, e.prefix FROM environment e CROSS JOIN judged_host
 WHERE NOT coalesce(e.active, 0)
UNION ALL
SELECT f.framework_id, e.prefix FROM framework f JOIN environment e ON e.environment_id = f.environment_id
 CROSS JOIN judged_host
 WHERE NOT coalesce(e.active, 0);

-- Environments, and the frameworks in them, of a tool that keeps a record of what is to be installed, and
-- undoes what another one does.
CREATE TABLE kept_environment AS
WITH kept AS (
SELECT environment_id, manager AS tool, coalesce(' (' || project || ')', '') AS place FROM environment
 WHERE manager IN ('poetry', 'pdm', 'pipenv', 'hatch'))
SELECT environment_id AS key, tool, place FROM kept
UNION ALL
SELECT f.framework_id, k.tool, k.place FROM framework f JOIN kept k ON k.environment_id = f.environment_id;

-- ---------------------------------------------------------------- subjects

-- A folder as it reads on any machine: the home folder's owner does not name the subject.
CREATE TABLE environment_key AS
SELECT environment_id, CASE
       WHEN prefix GLOB '/home/*/*' THEN '~/' || after_first(after_first(prefix, '/home/'), '/')
       WHEN prefix GLOB '/root/*' THEN '~/' || after_first(prefix, '/root/')
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
  FROM setting WHERE name = 'require'
   AND (value <> 'gpu' OR EXISTS (SELECT 1 FROM host WHERE machine_kind = 'image'));

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
