#!/usr/bin/env python3
"""The simulated loader against the real one: small programs and libraries are compiled, the real
loader runs them with LD_DEBUG=libs, and the simulator (tests/support/simulate.c) must name the same
files, in the same order, tried in the same order, and the same errors."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys

if "BINARY_DIR" not in os.environ and "SIMULATE" not in os.environ:
    sys.exit("BINARY_DIR or SIMULATE must be set")
os.environ.setdefault("SOURCE_DIR", ".")
os.environ.setdefault("GPUDOCTOR", "gpudoctor")
os.environ.setdefault("LAY_OUT", "lay-out")

from harness import Suite  # noqa: E402  (its settings come first)

SIMULATE = os.environ.get("SIMULATE") or os.path.join(os.environ["BINARY_DIR"], "tests/simulate")
NOBODY = 65534

# Opens its arguments one after the other ("g:" RTLD_GLOBAL, "l:" lazily, "call:SYMBOL" calls one
# that the program sees, "by:SYMBOL:NAME" lets a loaded library's function open it), and lists what
# is loaded.
HOST = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int list(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    printf("object %s\n", info->dlpi_name);
    return 0;
}
NEEDS
int main(int argc, char **argv)
{
    (void)USES;
    for (int i = 1; i < argc; i++) {
        char *name = argv[i];
        void *handle;
        int flags = RTLD_NOW;
        if (strncmp(name, "g:", 2) == 0)
            flags |= RTLD_GLOBAL, name += 2;
        else if (strncmp(name, "l:", 2) == 0)
            flags = RTLD_LAZY, name += 2;
        if (strncmp(name, "by:", 3) == 0) {
            char *colon = strchr(name + 3, ':');
            *colon = 0;
            void *(*open)(const char *) = (void *(*)(const char *))dlsym(RTLD_DEFAULT, name + 3);
            handle = open(name = colon + 1);
        } else {
            handle = dlopen(name, flags);
        }
        printf("open %s\n", handle ? "ok" : dlerror());
        fflush(stdout);
    }
    dl_iterate_phdr(list, 0);
    return 0;
}
"""


class Place:
    """A folder in which one vector is built."""

    def __init__(self, suite, name):
        self.suite, self.name = suite, name
        self.dir = suite.path(name)
        os.makedirs(self.dir)
        os.chmod(self.dir, 0o755)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def write(self, name, text, mode="w"):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode) as file:
            file.write(text)
        return path

    def cc(self, out, source, *flags):
        """Relative inputs among the flags are files of this folder."""
        path = self.path(out)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = self.write(out + ".c", source)
        words = ["cc", "-O0", "-o", path, text, "-Wl,--no-as-needed", "-Wl,-z,lazy", *flags]
        done = subprocess.run(words, cwd=self.dir, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{words}: {done.stderr}")
        os.remove(text)
        return path

    def lib(self, out, *flags, soname=None, source=None, paths=None, new=True, libs=(), map=None):
        soname = os.path.basename(out) if soname is None else soname
        words = ["-shared", "-fPIC", *flags]
        if soname:
            words.append(f"-Wl,-soname,{soname}")
        if map:
            words.append("-Wl,--version-script," + self.write(out + ".map", map))
        words += tags(paths, new)
        words += libs
        if source is None:
            source = f"const char *who_{re.sub('[^a-z0-9]', '_', soname or 'none')}(void)" \
                     f' {{ return "{os.path.dirname(out)}"; }}'
        return self.cc(out, source, *words)

    def exe(self, out, libs=(), paths=None, new=True, flags=(), needs="", uses="0"):
        source = HOST.replace("NEEDS", needs).replace("USES", uses)
        return self.cc(out, source, *flags, *tags(paths, new), *libs,
                       "-Wl,--allow-shlib-undefined", "-ldl")

    # --- the two loaders ---

    def real(self, exe, args, env, cwd, user):
        for file in os.listdir(self.dir):
            if file.startswith("debug."):
                os.remove(self.path(file))
        more = {"user": user, "extra_groups": []} if user is not None else {}
        done = subprocess.run(
            [exe, *args], cwd=cwd, capture_output=True, text=True, check=False,
            env={"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": self.path("debug"), "LC_ALL": "C", **env},
            **more,
        )
        debug = ""
        for file in os.listdir(self.dir):
            if file.startswith("debug."):
                with open(self.path(file), encoding="utf-8", errors="replace") as opened:
                    debug += opened.read()
        return done, debug

    def simulated(self, exe, args, llp, preload, cwd, user, symbols):
        words = [SIMULATE]
        if exe:
            words += ["--program", exe]
        if llp is not None:
            words += ["--library-path", llp]
        if preload is not None:
            words += ["--preload", preload]
        if symbols:
            words.append("--symbols")
        more = {"user": user, "extra_groups": []} if user is not None else {}
        done = subprocess.run([*words, *args], cwd=cwd, capture_output=True, check=True, **more)
        return json.loads(done.stdout)

    def compare(self, what, exe, *args, llp=None, preload=None, cwd=None, user=None, symbols=False,
                env=None, by=None, trail=True):
        """Runs both; returns (the real run, the simulator's page)."""
        cwd = cwd or self.dir
        full = os.path.join(self.dir, exe)
        settings = dict(env or {})
        if llp is not None:
            settings["LD_LIBRARY_PATH"] = llp
        if preload is not None:
            settings["LD_PRELOAD"] = preload
        done, debug = self.real(full, args, settings, cwd, user)
        asked = []
        for arg in args:
            if arg.startswith("g:"):
                asked += ["--global", arg[2:]]
            elif arg.startswith("by:"):
                _, symbol, name = arg.split(":", 2)
                asked += ["--from", by[symbol], name]
            else:
                asked.append(arg.removeprefix("l:"))
        page = self.simulated(os.path.realpath(full), asked, llp, preload, cwd, user, symbols)
        Comparison(self.suite, f"{self.name} {what}", cwd, done, debug, page).run(trail)
        return done, page


def tags(paths, new):
    if paths is None:
        return []
    return [f"-Wl,-rpath,{paths}", "-Wl,--enable-new-dtags" if new else "-Wl,--disable-new-dtags"]


class Comparison:
    def __init__(self, suite, what, cwd, done, debug, page):
        self.suite, self.what, self.cwd = suite, what, cwd
        self.done, self.debug, self.page = done, debug, page

    def absolute(self, path):
        return path if path.startswith("/") else f"{self.cwd}/{path}"

    def run(self, trail):
        start = re.search(r"error while loading shared libraries: (.*)", self.done.stderr)
        if start:
            self.suite.equal(self.first_error(), start.group(1), f"{self.what}: error")
        else:
            self.suite.equal(self.page["status"], 0, f"{self.what}: status")
            if self.done.returncode == 0:
                self.compare_opened()
                self.compare_objects()
        if trail:
            self.compare_trail()
        self.compare_preload()

    def first_error(self):
        for request in self.page["requests"]:
            if request["error"] and "cannot be preloaded" not in request["error"]:
                return request["error"]
        for missing in self.page["missing"]:
            if missing["fatal"]:
                return self.symbol_message(missing)
        return None

    def symbol_message(self, missing):
        objects = self.page["objects"]
        user = objects[missing["user"]]["path"]
        if not missing["symbol"]:
            provider = objects[missing["provider"]]["path"]
            return f"{provider}: version `{missing['version']}' not found (required by {user})"
        version = f", version {missing['version']}" if missing["version"] else ""
        return f"{user}: undefined symbol: {missing['symbol']}{version}"

    def compare_opened(self):
        real = [line[5:] for line in self.done.stdout.splitlines() if line.startswith("open ")]
        mine = []
        for number in self.page["opened"]:
            request = self.page["requests"][number]
            mine.append("ok" if request["object"] is not None else request["error"])
        # symbols are another question, asked of all that is loaded
        symbols = [i for i, text in enumerate(real) if "undefined symbol" in text or "version `" in text]
        for i in symbols:
            if self.absolute(real[i]) in map(self.symbol_message, self.page["missing"]):
                mine[i] = real[i]
        self.suite.equal(mine, real, f"{self.what}: opened")

    def compare_objects(self):
        if any("undefined symbol" in line for line in self.done.stdout.splitlines()):
            return
        real = [line[7:] for line in self.done.stdout.splitlines() if line.startswith("object ")]
        interpreters = [o["path"] for o in self.page["objects"] if o["interpreter"]]
        real = [self.absolute(path) for path in real
                if path and "linux-vdso" not in path and path not in interpreters]
        mine = [o["path"] for o in self.page["objects"]
                if not o["removed"] and not o["interpreter"] and o["via"] != "program"]
        self.suite.equal(mine, real, f"{self.what}: objects")

    def there(self, path):
        path = self.absolute(path)
        return path if os.path.isdir(os.path.dirname(path)) else None

    def real_trail(self):
        trail = []
        for line in self.debug.splitlines():
            found = re.search(r"find library=(.*) \[0\]; searching", line)
            if found:
                trail.append((found.group(1), []))
            found = re.search(r"trying file=(.*)", line)
            if found and self.there(found.group(1)):
                trail[-1][1].append(self.there(found.group(1)))
        return trail

    def my_trail(self):
        trail, failed = [], False
        for number, request in enumerate(self.page["requests"]):
            is_opened = number in self.page["opened"]
            failed = failed and not is_opened
            if failed:
                continue
            failed = bool(request["error"]) and "cannot be preloaded" not in request["error"]
            # one that fails because of a need was found, and the need comes next
            found = request["first"] and (request["object"] is not None or is_opened)
            failed = failed and not found
            if "/" in request["name"] or request["via"] == "loaded":
                continue
            tried = [self.there(step["path"]) for step in request["steps"]]
            if found:
                tried.append(self.found_path(request))
            trail.append((request["name"], [path for path in tried if path]))
        return trail

    def found_path(self, request):
        if request["object"] is not None:
            return self.page["objects"][request["object"]]["path"]
        return next(o["path"] for o in self.page["objects"]
                    if o["removed"] and os.path.basename(o["path"]) == request["name"])

    def compare_trail(self):
        real, mine = self.real_trail(), self.my_trail()
        # what is found by another name than its own was tried there
        for i, (name, tried) in enumerate(mine):
            if i < len(real) and real[i][0] == name and len(real[i][1]) == len(tried) + 1:
                request = next(r for r in self.page["requests"] if r["name"] == name)
                if request["object"] is not None and not request["first"]:
                    tried.append(real[i][1][-1])
        self.suite.equal(mine, real, f"{self.what}: trail")

    def compare_preload(self):
        real = re.findall(r"ERROR: ld.so: (object .*)", self.done.stderr)
        mine = [r["error"] for r in self.page["requests"]
                if r["error"] and "cannot be preloaded" in r["error"]]
        self.suite.equal(mine, real, f"{self.what}: preload")


def loaded(page, name):
    """Folder, below the vector's own, of the loaded file of that name."""
    for item in page["objects"]:
        if not item["removed"] and os.path.basename(item["path"]) == name:
            return item["path"]
    return None


def edit_elf(path, change):
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        change(data)
        file.seek(0)
        file.write(data)


def segments(data):
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        yield struct.unpack_from("<IIQQQQQQ", data, offset + i * size)


def dynamic(data):
    """(offset, tag, value) of each entry."""
    for segment in segments(data):
        if segment[0] == 2:
            for at in range(segment[2], segment[2] + segment[5], 16):
                yield (at, *struct.unpack_from("<QQ", data, at))


# --- the vectors ---


def test_inherited_paths(suite):
    place = Place(suite, "T1")
    place.lib("deps/libb.so.1")
    place.lib("top/liba.so.1", libs=["deps/libb.so.1"])
    both = "$ORIGIN/top:$ORIGIN/deps"
    place.exe("rpath", ["top/liba.so.1"], both, new=False)
    place.exe("runpath", ["top/liba.so.1"], both)
    place.compare("RPATH", "rpath")
    done, _ = place.compare("RUNPATH", "runpath")
    suite.equal(done.returncode, 127, "T1b fails")
    place.lib("own/liba.so.1", libs=["deps/libb.so.1"], paths="/nonexistent")
    place.exe("cut", ["own/liba.so.1"], "$ORIGIN/own:$ORIGIN/deps", new=False)
    done, _ = place.compare("own RUNPATH", "cut")
    suite.equal(done.returncode, 127, "T2 fails")


def test_chains(suite):
    place = Place(suite, "T2")
    place.lib("dC/libc1.so.1")
    place.lib("dB/libb.so.1", libs=["dC/libc1.so.1"])
    place.lib("dA/liba.so.1", libs=["dB/libb.so.1"], paths=place.path("dB"))
    place.exe("b", ["dA/liba.so.1"], "$ORIGIN/dA:$ORIGIN/dC", new=False)
    done, _ = place.compare("b", "b")
    suite.equal(done.returncode, 0, "T2b runs")
    place.lib("dA/liba.so.1", libs=["dB/libb.so.1"], paths="$ORIGIN/../dB:$ORIGIN/../dC", new=False)
    place.exe("c", ["dA/liba.so.1"], "$ORIGIN/dA")
    done, _ = place.compare("c", "c")
    suite.equal(done.returncode, 0, "T2c runs")


def test_library_path(suite):
    place = Place(suite, "T3")
    for folder in ("rp", "ru", "llp"):
        place.lib(f"{folder}/libx.so.1")
    place.exe("rpath", ["rp/libx.so.1"], "$ORIGIN/rp", new=False)
    place.exe("runpath", ["ru/libx.so.1"], "$ORIGIN/ru")
    llp = place.path("llp")
    for exe in ("rpath", "runpath"):
        for value in (None, "", llp, ":", "/x:", "/x;/y:.", f"/x;{llp}", "$ORIGIN/llp", "${ORIGIN}/llp/",
                      "llp", f"{llp}:{llp}:{place.path('rp')}", f"{place.path('rp')}//:/none"):
            for cwd in (place.dir, llp):
                place.compare(f"{exe} {value!r} in {cwd}", exe, llp=value, cwd=cwd)


def test_callers(suite):
    source = "#include <dlfcn.h>\nvoid *call(const char *n) { return dlopen(n, RTLD_NOW); }"
    place = Place(suite, "T4")
    place.lib("priv/libp.so.1")
    place.lib("cal/libcall.so", source=source, paths="$ORIGIN/../priv")
    place.exe("exe", ["cal/libcall.so"], "$ORIGIN/cal")
    by = {"call": place.path("cal/libcall.so")}
    place.compare("caller's RUNPATH", "exe", "libp.so.1", "by:call:libp.so.1", "libp.so.1", by=by)
    place.lib("cal/libcall.so", source=source)
    for new, paths in ((True, "RUNPATH"), (False, "RPATH")):
        place.exe("exe2", ["cal/libcall.so"], "$ORIGIN/cal:$ORIGIN/priv", new=new)
        place.compare(f"program's {paths}", "exe2", "by:call:libp.so.1", by=by)


def test_opened_inherits_nothing(suite):
    """The caller's RPATH finds what it opens, but not what that needs."""
    source = "#include <dlfcn.h>\nvoid *call(const char *n) { return dlopen(n, RTLD_NOW); }"
    place = Place(suite, "callmap")
    place.lib("priv/libdeep.so.1")
    place.lib("priv/libp.so.1", libs=["priv/libdeep.so.1"])
    place.lib("cal/libcall.so", source=source, paths="$ORIGIN/../priv", new=False)
    place.exe("exe", ["cal/libcall.so"], "$ORIGIN/cal")
    done, _ = place.compare("RPATH of the caller", "exe", "by:call:libp.so.1", "libp.so.1",
                            by={"call": place.path("cal/libcall.so")})
    suite.expect("libdeep.so.1: cannot open" in done.stdout, "callmap: the need is not found")
    place.lib("priv/libp.so.1", libs=["priv/libdeep.so.1"], paths="$ORIGIN", new=False)
    place.compare("RPATH of its own", "exe", "by:call:libp.so.1", "libdeep.so.1",
                  by={"call": place.path("cal/libcall.so")})


def test_sonames(suite):
    place = Place(suite, "T5")
    place.lib("hid/libx.so.1")
    shutil.copy(place.path("hid/libx.so.1"), place.path("hid/odd-name.so"))
    place.lib("top/liby.so.1", libs=["hid/libx.so.1"])
    place.lib("other/libx.so.1", soname="libother.so.1")
    place.lib("none/libx.so.1", soname="")
    place.exe("load")
    liby = "./top/liby.so.1"
    place.compare("alone", "load", liby)
    place.compare("by path", "load", "./hid/libx.so.1", liby)
    place.compare("odd name", "load", "./hid/odd-name.so", liby)
    place.compare("other soname", "load", "./other/libx.so.1", liby)
    place.compare("no soname", "load", "./none/libx.so.1", liby)
    place.compare("no soname, searched", "load", "libx.so.1", liby, llp=place.path("none"))
    place.compare("twice", "load", "./hid/libx.so.1", "./hid/odd-name.so", "hid/libx.so.1",
                  place.path("hid/libx.so.1"), "libx.so.1")


def test_failed_open(suite):
    """What a failed dlopen() brought is gone: a later request searches anew."""
    place = Place(suite, "rollback")
    place.lib("a/libgood.so.1")
    place.lib("b/libgood.so.1")
    place.lib("gone/libgone.so.1")
    place.lib("a/libbad.so.1", libs=["a/libgood.so.1", "gone/libgone.so.1"], paths="$ORIGIN")
    place.lib("b/libuser.so.1", libs=["b/libgood.so.1"], paths="$ORIGIN")
    os.remove(place.path("gone/libgone.so.1"))
    place.exe("load")
    _, page = place.compare("bad, then user", "load", "./a/libbad.so.1", "libgood.so.1",
                            "./b/libuser.so.1")
    suite.equal(loaded(page, "libgood.so.1"), place.path("./b/libgood.so.1"), "rollback: libgood")


def test_versions(suite):
    place = Place(suite, "T6")
    f1, f2 = "int f1(void) { return 1; }", "int f2(void) { return 2; }"
    place.lib("new/libv.so.1", source=f1 + f2, map="V1 { global: f1; }; V2 { global: f2; };")
    libs = {
        "old": (f1, "V1 { global: f1; };"),
        "v2nosym": (f1 + "int z(void) { return 0; }", "V1 { global: f1; }; V2 { global: z; };"),
        "nover2": ('#include <stdio.h>\n' + f1 + 'int f2(void) { puts("x"); return 2; }', None),
        "unversioned": (f1 + f2, None),
    }
    for folder, (source, versions) in libs.items():
        place.lib(f"{folder}/libv.so.1", source=source, map=versions)
    needs = "int f1(void); int f2(void);"
    uses = "(argc > 90 ? f1() + f2() : 0)"
    for binding in ("lazy", "now"):
        place.exe(binding, ["new/libv.so.1"], needs=needs, uses=uses)
    edit_elf(place.path("now"), bind_now)
    for binding in ("lazy", "now"):
        for folder in ("new", "old", "v2nosym", "nover2"):
            llp = place.path(folder)
            done, page = place.compare(f"{binding} {folder}", binding, llp=llp, symbols=True)
            message = done.stderr.strip().splitlines()[-1:] or [""]
            fatal = [Comparison(suite, "", "", done, "", page).symbol_message(m)
                     for m in page["missing"] if m["fatal"]]
            if done.returncode:
                suite.expect(fatal and fatal[0] in message[0],
                             f"T6 {binding} {folder}: {fatal} in {message}")
            else:
                suite.equal(fatal, [], f"T6 {binding} {folder}")
    place.exe("weak", ["new/libv.so.1"], needs=needs, uses=uses)
    edit_elf(place.path("weak"), lambda data: weaken(data, b"V2"))
    done, page = place.compare("weak", "weak", llp=place.path("old"), symbols=True)
    suite.equal(done.returncode, 0, "T6 weak runs")
    suite.equal([m for m in page["missing"] if not m["symbol"]], [], "T6 weak: no version missing")


def bind_now(data):
    """DT_DEBUG becomes DT_BIND_NOW; the loader fills in the other itself, and can do without."""
    for at, tag, _ in dynamic(data):
        if tag == 21:
            struct.pack_into("<QQ", data, at, 24, 0)


def weaken(data, version):
    entries = {tag: value for _, tag, value in dynamic(data)}
    loads = [s for s in segments(data) if s[0] == 1]

    def offset(address):
        return next(address - s[3] + s[2] for s in loads if s[3] <= address < s[3] + s[5])

    at, strings = offset(entries[0x6FFFFFFE]), offset(entries[5])
    for _ in range(entries[0x6FFFFFFF]):
        _, count, _, first, following = struct.unpack_from("<HHIII", data, at)
        aux = at + first
        for _ in range(count):
            _, _, _, name, more = struct.unpack_from("<IHHII", data, aux)
            if data[strings + name:strings + name + len(version) + 1] == version + b"\0":
                struct.pack_into("<H", data, aux + 4, 2)
            aux += more
        at += following


def test_nvjitlink(suite):
    place = Place(suite, "T7")
    name, versions = "libnvJitLink.so.12", "libnvJitLink.so.12 { global: __nvJitLink*; local: *; };"
    new = "int __nvJitLinkAddData_12_0(void) { return 0; } int __nvJitLinkAddData_12_1(void) { return 1; }"
    place.lib(f"new/{name}", source=new, map=versions)
    place.lib(f"old/{name}", source=new.split("}", maxsplit=1)[0] + "}", map=versions)
    place.lib("sp/libcusparse.so.12", libs=[f"new/{name}"], paths="$ORIGIN/../new",
              source="int __nvJitLinkAddData_12_1(void);\nint sp(void) { return __nvJitLinkAddData_12_1(); }")
    place.lib("ext/mod.so", libs=["sp/libcusparse.so.12"], paths="$ORIGIN/../sp", soname="")
    place.exe("load")
    old, new_path = place.path("old"), place.path("new", name)
    for what, args, llp in (
        ("plain", ["./ext/mod.so"], None),
        ("old on LD_LIBRARY_PATH", ["./ext/mod.so"], old),
        ("old first", [f"./old/{name}", "./ext/mod.so"], None),
        ("new first", [new_path, "./ext/mod.so"], old),
    ):
        _, page = place.compare(what, "load", *args, llp=llp, symbols=True)
        suite.equal(len(page["missing"]), int("old" in what), f"T7 {what}: missing")
    # T19: with RPATH, and with the need of its own before cusparse's
    both = "$ORIGIN/../sp:$ORIGIN/../new"
    place.lib("gd1/libgd.so", libs=["sp/libcusparse.so.12"], paths=both, new=False)
    place.lib("gd2/libgd.so", libs=["sp/libcusparse.so.12", f"new/{name}"], paths=both, new=False)
    for folder in ("gd1", "gd2"):
        _, page = place.compare(f"T19 {folder}", "load", f"./{folder}/libgd.so", llp=old, symbols=True)
        suite.equal(len(page["missing"]), int(folder == "gd1"), f"T19 {folder}: missing")


def test_breadth_first(suite):
    place = Place(suite, "T8")
    place.lib("a/libx.so.1")
    place.lib("b/libx.so.1")
    place.lib("l/libl.so.1", libs=["b/libx.so.1"], paths="$ORIGIN/../b")
    place.exe("exe", ["l/libl.so.1", "a/libx.so.1"], "$ORIGIN/a:$ORIGIN/l")
    _, page = place.compare("exe", "exe")
    suite.equal(loaded(page, "libx.so.1"), place.path("a/libx.so.1"), "T8: libx")
    others = [step["path"] for r in page["requests"] for step in r["shadowed"]]
    suite.equal(others, [place.path("l/../b/libx.so.1")], "T8: what is shadowed")


def test_tokens(suite):
    place = Place(suite, "T9")
    multiarch = subprocess.run(["cc", "-print-multiarch"], capture_output=True, text=True, check=False)
    for folder in (f"lib/{multiarch.stdout.strip()}", "lib64", "lib", "x", "plain"):
        place.lib(f"{folder}/libx.so.1")
    for paths in ("$ORIGIN/$LIB", "${ORIGIN}/lib64", "pre$ORIGIN/x:$ORIGINX/x:$UNKNOWN/x",
                  "/none::/none2", "$ORIGIN/$PLATFORM:$ORIGIN/${LIB}", "${ORIGIN/x:$ORIGIN}/x",
                  "$$ORIGIN/x:$/x:$ORIGIN_/x", "$ORIGIN/x/:$ORIGIN/x//"):
        for new in (True, False):
            place.exe("exe", ["plain/libx.so.1"], paths, new=new)
            place.compare(f"{paths} {new}", "exe")
            place.compare(f"{paths} {new}, elsewhere", "exe", cwd=place.path("plain"))
    place.exe("load")
    place.compare("opened", "load", "$ORIGIN/x/libx.so.1", "${ORIGIN}/lib64/libx.so.1")
    place.lib("top/libtop.so.1", libs=["x/libx.so.1"], paths="$ORIGIN/../$LIB", new=False)
    place.compare("RPATH and $LIB of a library", "load", "./top/libtop.so.1")


def nobody_can(place):
    """Whether another user can be started here, and get at what is compared."""
    if os.geteuid() != 0:
        return False
    os.chmod(place.suite.folder, 0o755)
    os.chmod(place.dir, 0o777)
    done = subprocess.run(["test", "-x", SIMULATE, "-a", "-w", place.dir], user=NOBODY,
                          extra_groups=[], check=False)
    return done.returncode == 0


def make_bad(place):
    good = place.lib("ok/libx.so.1")
    with open(good, "rb") as file:
        data = file.read()

    def patched(at, value):
        return data[:at] + bytes([value]) + data[at + 1:]

    kinds = {
        "machine": patched(18, 62 if os.uname().machine == "aarch64" else 183), "class": patched(4, 1), "abi": patched(7, 9),
        "abiversion": patched(8, 1), "encoding": patched(5, 2), "ident-version": patched(6, 2),
        "padding": patched(12, 1), "version": patched(20, 2), "relocatable": patched(16, 1),
        "phentsize": patched(54, 57), "executable": patched(16, 2), "segments": patched(56, 0),
        "headers": data[:100], "text": b"/* GNU ld script */\nGROUP ( libx.so.1 )\n" + b" " * 64,
        "short": data[:40], "empty": b"", "gnu-abi": patched(7, 3),
    }
    for kind, text in kinds.items():
        place.write(f"{kind}/libx.so.1", text, "wb")
    os.makedirs(place.path("folder/libx.so.1"))
    os.makedirs(place.path("dangling"))
    os.symlink("nowhere", place.path("dangling/libx.so.1"))
    os.makedirs(place.path("loop"))
    os.symlink("libx.so.1", place.path("loop/libx.so.1"))
    return sorted([*kinds, "folder", "dangling", "loop"])


def test_bad_files(suite):
    place = Place(suite, "T10")
    kinds = make_bad(place)
    place.exe("exe", ["ok/libx.so.1"])
    place.exe("load")
    for kind in kinds:
        llp = place.path(kind)
        place.compare(kind, "exe", llp=f"{llp}:{place.path('ok')}")
        place.compare(f"{kind} alone", "exe", llp=llp)
        place.compare(f"{kind} opened", "load", "libx.so.1", llp=llp)
        place.compare(f"{kind} by path", "load", f"./{kind}/libx.so.1", place.path(kind, "libx.so.1"))
    place.compare("absent by path", "load", "./none/libx.so.1", "/none/libx.so.1",
                  "./ok/libx.so.1/more")
    with open(place.path("ok/libx.so.1"), "rb") as file:
        place.write("cut/libx.so.1", file.read()[:4200], "wb")
    # the real loader ends in SIGBUS on the way
    _, page = place.compare("cut", "exe", llp=place.path("cut"), trail=False)
    problem = next(o["problem"] for o in page["objects"] if o["path"].endswith("cut/libx.so.1"))
    suite.equal(problem, "the file is cut: it ends before its segments do", "T10 cut")
    if nobody_can(place):
        place.write("denied/libx.so.1", "secret")
        os.chmod(place.path("denied/libx.so.1"), 0)
        llp = f"{place.path('denied')}:{place.path('ok')}"
        place.compare("denied", "exe", llp=llp, user=NOBODY)
        place.compare("denied by path", "load", "./denied/libx.so.1", user=NOBODY)


def test_links(suite):
    place = Place(suite, "T11")
    place.lib("store/real/libdep.so.1")
    place.lib("link/libdep.so.1")
    place.lib("store/real/libm1.so.1", libs=["store/real/libdep.so.1"], paths="$ORIGIN")
    os.symlink("../store/real/libm1.so.1", place.path("link/libm1.so.1"))
    place.exe("bin/exe", ["store/real/libm1.so.1"], "$ORIGIN/../link")
    _, page = place.compare("link", "bin/exe")
    suite.equal(loaded(page, "libdep.so.1"), place.path("bin/../link/libdep.so.1"), "T11: libdep")
    os.makedirs(place.path("bin2/link"))
    os.symlink("../bin/exe", place.path("bin2/exe"))
    place.compare("program by a link", "bin2/exe")
    place.exe("load")
    os.link(place.path("link/libdep.so.1"), place.path("hard.so"))
    shutil.copy(place.path("link/libdep.so.1"), place.path("copy.so"))
    place.compare("hard link and copy", "load", "./link/libdep.so.1", "./hard.so", "./copy.so",
                  "./store/real/libm1.so.1")
    # a search that comes to a file that is loaded under another name
    place.lib("odd/libodd.so.1", soname="libinner.so.1")
    place.compare("another soname", "load", "./odd/libodd.so.1", "libodd.so.1", "libinner.so.1",
                  llp=place.path("odd"))


def test_scopes(suite):
    place = Place(suite, "T12")
    place.lib("a/libx.so.1", source="int x(void) { return 1; }")
    use = "int x(void);\nint use(void) { return x(); }"
    place.lib("m/noneeded.so", source=use, soname="")
    place.lib("m/needed.so", source=use, soname="", libs=["a/libx.so.1"])
    place.lib("m/weak.so", source="int x(void) __attribute__((weak));\nint use(void) { return x ? x() : 0; }",
              soname="")
    place.exe("load")
    libx = "./a/libx.so.1"
    for what, args, count in (
        ("alone", ["./m/noneeded.so"], 1),
        ("local", [libx, "./m/noneeded.so"], 1),
        ("global", ["g:" + libx, "./m/noneeded.so"], 0),
        ("promoted", [libx, "g:" + libx, "./m/noneeded.so"], 0),
        ("needed", [libx, "./m/needed.so"], 0),
        ("weak", ["./m/weak.so"], 0),
    ):
        _, page = place.compare(what, "load", *args, symbols=True)
        suite.equal(len(page["missing"]), count, f"T12 {what}: missing")
    # preloaded, or of the program itself: seen by all
    place.compare("preloaded", "load", "./m/noneeded.so", preload=libx, symbols=True)
    place.exe("own", needs="int x(void) { return 3; }", flags=["-rdynamic"])
    place.compare("of the program", "own", "./m/noneeded.so", symbols=True)
    place.lib("m/outer.so", soname="", libs=["m/noneeded.so", "a/libx.so.1"])
    _, page = place.compare("of the one who is opened", "load", "./m/outer.so", symbols=True,
                            llp=place.path("a"))
    suite.equal(len(page["missing"]), 0, "T12: the closure of what is opened")


def test_privileged(suite):
    place = Place(suite, "T13")
    if not nobody_can(place):
        print("skipped T13: needs root, and places that others may enter")
        return
    place.lib("d/libx.so.1")
    for what, paths in (("none", None), ("origin", "$ORIGIN/d"), ("absolute", place.path("d"))):
        exe = place.exe(what, ["d/libx.so.1"], paths)
        os.chmod(exe, 0o4755)
        if os.statvfs(place.dir).f_flag & os.ST_NOSUID:
            print("skipped T13: the folder's file system knows no set-user-ID")
            return
        for user in (NOBODY, None):
            place.compare(f"{what} {user}", what, llp=place.path("d"), user=user, trail=user is None)


def test_needed_path(suite):
    place = Place(suite, "T14")
    place.lib("sl/nos.so", soname="")
    place.exe("exe", ["sl/nos.so"])
    place.compare("there", "exe")
    place.compare("elsewhere", "exe", cwd="/")


def test_levels(suite):
    place = Place(suite, "T15")
    place.lib("d/libx.so.1")
    place.lib("p/libx.so.1")
    for level in ("x86-64-v2", "x86-64-v3", "x86-64-v4"):
        place.lib(f"d/glibc-hwcaps/{level}/libx.so.1")
        place.lib(f"sub/{level}/libx.so.1")
    place.exe("exe", ["d/libx.so.1"], "$ORIGIN/d")
    place.exe("plain", ["d/libx.so.1"], "$ORIGIN/p:$ORIGIN/d")
    _, page = place.compare("levels", "exe")
    place.compare("an earlier folder", "plain")
    levels = page["world"]["levels"]
    if levels:
        suite.equal(loaded(page, "libx.so.1"),
                    place.path("d/glibc-hwcaps", levels[0], "libx.so.1"), "T15: best level")
    place.exe("bare", ["p/libx.so.1"])
    for legacy in ("tls", "haswell", "x86_64", "haswell/x86_64", "tls/haswell/avx512_1/x86_64"):
        folder = "legacy-" + legacy.replace("/", "-")
        place.lib(f"{folder}/{legacy}/libx.so.1")
        place.lib(f"{folder}/libx.so.1")
        place.compare(f"legacy {legacy}", "bare", llp=place.path(folder))


def test_preload(suite):
    place = Place(suite, "T16")
    place.lib("a/libx.so.1")
    place.lib("b/libx.so.1")
    place.lib("b/libdeep.so.1")
    place.lib("b/libwith.so.1", libs=["b/libdeep.so.1"], paths="$ORIGIN")
    place.exe("exe", ["a/libx.so.1"], "$ORIGIN/a")
    place.write("text.so", "no library\n" * 20)
    for value in ("./b/libx.so.1", "./zz.so", "libx.so.1", "./zz.so:./b/libx.so.1", "text.so",
                  "./text.so ./b/libx.so.1", "./b/libwith.so.1", "libzz.so.1", "$ORIGIN/b/libx.so.1"):
        place.compare(value, "exe", preload=value)


def test_no_sections(suite):
    place = Place(suite, "T17")
    place.lib("a/libx.so.1")
    exe = place.exe("exe", ["a/libx.so.1"], "$ORIGIN/a")

    def cut(data):
        struct.pack_into("<Q", data, 40, 0)
        struct.pack_into("<HH", data, 60, 0, 0)

    edit_elf(exe, cut)
    place.compare("no section headers", "exe")


def test_default_folders(suite):
    place = Place(suite, "T20")
    place.lib("rp/libx.so.1")
    place.lib("llp/libx.so.1")
    place.exe("nodeflib", flags=["-Wl,-z,nodefaultlib"])
    # the loader tells of the cache's entry, and passes over it
    done, page = place.compare("nodefaultlib", "nodeflib", trail=False)
    suite.equal(done.returncode, 127, "T20a fails")
    place.compare("nodefaultlib and a path", "nodeflib", llp=page["world"]["defaults"][0])
    exe = place.exe("both", ["rp/libx.so.1"], "$ORIGIN/rp")

    def add_rpath(data):
        value = next(v for _, tag, v in dynamic(data) if tag == 29)
        for at, tag, _ in dynamic(data):
            if tag == 21:
                struct.pack_into("<QQ", data, at, 15, value)

    edit_elf(exe, add_rpath)
    _, page = place.compare("RPATH and RUNPATH", "both", llp=place.path("llp"))
    suite.equal(loaded(page, "libx.so.1"), place.path("llp/libx.so.1"), "T20b: RPATH is ignored")


def test_refused(suite):
    """Programs cannot be opened, nor what says so of itself."""
    place = Place(suite, "refused")
    place.exe("load")
    place.exe("pie", flags=["-pie", "-fPIE"])
    place.exe("fixed", flags=["-no-pie"])
    place.lib("noopen.so", "-Wl,-z,nodlopen")
    place.compare("opened", "load", "./pie", "./fixed", "./noopen.so", place.path("load"))
    place.exe("needs", ["noopen.so"], "$ORIGIN")
    place.compare("needed", "needs")


def test_own_etc(suite):
    """Another /etc: cache with levels, stale entries, the old format, and ld.so.preload."""
    inside = os.environ.get("LOADER_TEST_ETC")
    if not inside:
        if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
            print("skipped: no mount namespace for another /etc")
            return
        words = ["unshare", "-m", "--propagation", "private", sys.executable, os.path.abspath(__file__)]
        done = subprocess.run(words, env={**os.environ, "LOADER_TEST_ETC": suite.path("etc")},
                              capture_output=True, text=True, check=False)
        suite.expect(done.returncode == 0, f"own /etc: {done.stdout[-3000:]}{done.stderr[-2000:]}")
        return
    place = Place(suite, "etc-case")
    libs = place.path("libs")
    place.lib("libs/libx.so.1")
    place.lib("libs/libgone.so.1")
    place.lib("more/libgone.so.1")
    for level in ("x86-64-v2", "x86-64-v3"):
        place.lib(f"libs/glibc-hwcaps/{level}/libx.so.1")
    place.exe("exe", ["libs/libx.so.1"])
    place.exe("nodeflib", ["libs/libx.so.1"], flags=["-Wl,-z,nodefaultlib"])
    place.exe("gone", ["libs/libgone.so.1"])
    place.lib("pre/libpre.so.1")
    etc = place.path("etc")
    os.makedirs(etc)
    for name in ("passwd", "group", "os-release"):
        if os.path.exists(f"/etc/{name}"):
            shutil.copy(f"/etc/{name}", etc)
    place.write("conf", libs + "\n")
    for form in ("new", "compat", "old"):
        cache = os.path.join(etc, "ld.so.cache")
        done = subprocess.run(["ldconfig", "-c", form, "-X", "-C", cache, "-f", place.path("conf")],
                              capture_output=True, text=True, check=False)
        suite.equal(done.returncode, 0, f"ldconfig -c {form}: {done.stderr}")
        if form == "new":
            subprocess.run(["mount", "--bind", etc, "/etc"], check=True)
        _, page = place.compare(f"cache {form}", "exe")
        suite.expect(page["world"]["cached"] > 2, f"cache {form}: entries")
        place.compare(f"cache {form} without defaults", "nodeflib", trail=False)
        place.compare(f"cache {form}, part of it", "nodeflib", llp=page["world"]["defaults"][0])
    os.remove(place.path("libs/libgone.so.1"))
    place.compare("a stale entry", "gone")
    place.compare("a stale entry and a path", "gone", llp=place.path("more"))
    place.write("etc/ld.so.cache", "no cache at all" * 20)
    place.compare("a broken cache", "exe")
    os.remove(place.path("etc/ld.so.cache"))
    place.compare("no cache", "exe")
    place.write("etc/ld.so.preload", f"# comment\n{place.path('pre/libpre.so.1')}:./zz.so  # more\n\nlibno.so\n")
    place.compare("ld.so.preload", "gone", llp=place.path("more"))
    place.compare("both preloads", "gone", llp=place.path("more"), preload="./zz.so:./libs/libx.so.1")


TESTS = [value for name, value in sorted(globals().items()) if name.startswith("test_")]


def main():
    if not shutil.which("cc"):
        print("no compiler")
        sys.exit(77)
    libc = subprocess.run(["ldd", "--version"], capture_output=True, text=True, check=False)
    if not re.search("GLIBC|GNU libc|glibc", libc.stdout):
        print("not glibc")
        sys.exit(77)
    suite = Suite()
    if os.environ.get("LOADER_TEST_ETC"):
        suite.run([test_own_etc])
    names = sys.argv[1:]
    suite.run([test for test in TESTS if not names or test.__name__.removeprefix("test_") in names])


main()
