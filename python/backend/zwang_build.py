"""The build backend of the package (PEP 517): CMake compiles, this file packs. It needs nothing but
Python itself, a C compiler, CMake, and the headers of Python.

    pip install ./python                          builds and installs
    python3 python/backend/zwang_build.py FOLDER  makes the wheel, one file, in FOLDER

The wheel has the package, the extension, and beside it the library, which finds what it needs where it
lies ($ORIGIN). SUNDIALS, which the method bdf is from, goes with it if the library was linked with it;
OpenBLAS is opened when it is needed, if it is there. Files are in the order of their names and of one
date: the same sources give the same bytes.
"""

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
# What a source distribution has of the tree.
SOURCES = ["CMakeLists.txt", "LICENSE", "cmake", "docs/messages", "include", "lib", "models", "python",
           "src", "web/dist"]


# ---- what the package is called

def project():
    return tomllib.loads((PYTHON / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(zwang VERSION ([0-9.]+)", text).group(1)


def tag():
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"cp311-abi3-{platform}"


def metadata():
    p = project()
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {version()}",
             f"Summary: {p['description']}", f"License: {p['license']['text']}",
             f"Keywords: {','.join(p['keywords'])}", f"Requires-Python: {p['requires-python']}"]
    lines += [f"Classifier: {c}" for c in p["classifiers"]]
    for extra, needs in p["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (PYTHON / "README.md").read_text(encoding="utf-8")


def wheel_file():
    return f"Wheel-Version: 1.0\nGenerator: zwang_build\nRoot-Is-Purelib: false\nTag: {tag()}\n"


# ---- compiling

def run(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise SystemExit(f"zwang_build: {words[0]} failed")
    return done.stdout


def build_folder():
    """build-python in the tree, so that a second build is quick; elsewhere if that cannot be written."""
    folder = ROOT / "build-python"
    try:
        folder.mkdir(exist_ok=True)
        (folder / "here").write_text(f"{ROOT}\n")
    except OSError:
        return Path(tempfile.mkdtemp(prefix="zwang-build-"))
    return folder


def compile_package():
    """Configures and builds; the folder of the build."""
    for program in ("cmake", "cc"):
        if not shutil.which(program) and not (program == "cc" and os.environ.get("CC")):
            raise SystemExit(f"zwang_build: {program} is not there; on Debian: apt install gcc cmake "
                             "make python3-dev")
    folder = build_folder()
    generator = ["-G", "Ninja"] if shutil.which("ninja") else ["-G", "Unix Makefiles"]
    if (folder / "CMakeCache.txt").exists():
        generator = []
    run("cmake", *generator, "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DZWANG_PYTHON=ON",
        "-DZWANG_COMMAND=OFF", "-DZWANG_TESTS=OFF", "-DZWANG_BENCH=OFF",
        "-DCMAKE_INSTALL_RPATH=$ORIGIN", f"-DPython3_EXECUTABLE={sys.executable}",
        f"-DPython3_INCLUDE_DIR={sysconfig.get_path('include')}")
    jobs = str(len(os.sched_getaffinity(0)))
    run("cmake", "--build", folder, "--target", "zwang_python", "zwang_python_package", "-j", jobs)
    return folder


def needed(library):
    """Names of the libraries that one is linked with."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library))


def companions(folder, library):
    """Libraries that go into the wheel with ours, and their licences: {name: path}."""
    cache = (folder / "CMakeCache.txt").read_text()
    found = re.search(r"^SUNDIALS_CVODE:FILEPATH=(.*)$", cache, re.M)
    files = {}
    for name in needed(library):
        if name.startswith("libsundials") and found:
            files[name] = Path(found.group(1)).parent / name
            for licence in sorted(Path("/usr/share/doc").glob("libsundials-cvode*/copyright")):
                files["SUNDIALS-LICENCE.txt"] = licence
    return files


def stripped(path):
    """The bytes of a library without what only debuggers read."""
    data = Path(path).read_bytes()
    if not shutil.which("strip"):
        return data
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "library"
        copy.write_bytes(data)
        run("strip", "--strip-unneeded", copy)
        return copy.read_bytes()


def package_files():
    """Everything in the package, compiled now: {name in the wheel: bytes}."""
    folder = compile_package()
    package = folder / "python" / "zwang"
    sources = {file.name for file in (PYTHON / "zwang").iterdir()}
    files = {}
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package)
        if path.is_dir() or "__pycache__" in name.parts:
            continue
        if len(name.parts) == 1 and path.suffix != ".so" and path.name not in sources:
            continue  # of an earlier build
        files[f"zwang/{name.as_posix()}"] = stripped(path) if path.suffix == ".so" else path.read_bytes()
    library = next(name for name in needed(package / "_zwang.abi3.so") if name.startswith("libzwang"))
    files[f"zwang/{library}"] = stripped(folder / library)
    for name, path in companions(folder, folder / library).items():
        files[f"zwang/{name}"] = stripped(path) if ".so" in name else path.read_bytes()
    return files


# ---- packing

def information():
    """The folder *.dist-info, but for its RECORD."""
    return {"METADATA": metadata().encode(), "WHEEL": wheel_file().encode(),
            "licenses/LICENSE": (ROOT / "LICENSE").read_bytes()}


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def put(archive, name, data):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if ".so" in name else 0o100644) << 16
    archive.writestr(entry, data)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = f"zwang-{version()}.dist-info"
    for name, data in information().items():
        path = Path(metadata_directory) / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = package_files()
    folder = f"zwang-{version()}.dist-info"
    files.update({f"{folder}/{name}": data for name, data in information().items()})
    record = "".join(record_line(name, data) for name, data in sorted(files.items()))
    files[f"{folder}/RECORD"] = f"{record}{folder}/RECORD,,\n".encode()
    name = f"zwang-{version()}-{tag()}.whl"
    Path(wheel_directory).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as archive:
        for path, data in sorted(files.items()):
            put(archive, path, data)
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    """The part of the tree that the package is made of, with pyproject.toml at its head."""
    top = f"zwang-{version()}"
    name = f"{top}.tar.gz"

    def plain(entry):
        if "__pycache__" in entry.name:
            return None
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry

    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for source in SOURCES:
            archive.add(ROOT / source, f"{top}/{source}", filter=plain)
        head = (PYTHON / "pyproject.toml").read_text().replace('["backend"]', '["python/backend"]')
        head = head.replace('"README.md"', '"python/README.md"')
        for path, text in (("pyproject.toml", head), ("PKG-INFO", metadata())):
            data = text.encode()
            entry = tarfile.TarInfo(f"{top}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return name


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else "."
    print(Path(where) / build_wheel(where))
