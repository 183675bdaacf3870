"""The fork server in namespaces of its own, made by the system's bubblewrap."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

PROGRAM = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
"""The interpreter, without the virtual environment that it may run in."""
_SECONDS = 20.0


def command(home: str, environment: dict[str, str], not_shown: list[str]) -> list[str]:
    """Program and arguments that start Python without a network, user, parent or foreign file.

    ``home``: where Python is shown. Raises FileNotFoundError where there is no bubblewrap.
    """
    program = shutil.which("bwrap", path=os.environ.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError("bubblewrap not found")
    return [
        *(program, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net"),
        *("--unshare-uts", "--unshare-cgroup-try", "--uid", "65534", "--gid", "65534"),
        *("--hostname", "sandbox", "--cap-drop", "ALL", "--clearenv", "--new-session"),
        # As the first process of its namespace, so that everything there ends with it.
        "--as-pid-1",
        *(part for name, value in environment.items() for part in ("--setenv", name, value)),
        *_python(home, not_shown),
        *("--remount-ro", "/", "--chdir", "/", f"{home}/bin/{PROGRAM.name}"),
    ]


def _python(home: str, not_shown: list[str]) -> list[str]:
    """Arguments that show this Python there."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = Path(sysconfig.get_path("stdlib")).resolve()
    there = f"{home}/{sys.platlibdir}/{version}"
    extensions = Path(sysconfig.get_config_var("DESTSHARED") or library / "lib-dynload").resolve()
    arguments = [
        *("--ro-bind", str(PROGRAM), f"{home}/bin/{PROGRAM.name}"),
        *("--ro-bind", str(library), there),
        *_bind_libraries(PROGRAM, *_extensions(extensions)),
    ]
    if extensions.is_dir() and library not in extensions.parents:
        arguments += ["--ro-bind", str(extensions), f"{there}/lib-dynload"]
    for name in not_shown:
        if (library / name).is_dir():
            arguments += ["--tmpfs", f"{there}/{name}", "--remount-ro", f"{there}/{name}"]
    return arguments


def _extensions(folder: Path) -> list[Path]:
    """Native modules that need libraries beside the C library's, and are wanted inside."""
    wanted = ("_ctypes", "zlib", "_bz2", "_lzma", "pyexpat", "_decimal", "_uuid")
    return [path for name in wanted for path in sorted(folder.glob(f"{name}.*so"))]


def _bind_libraries(*binaries: Path) -> list[str]:
    """Arguments that show the shared libraries of the binaries, and nothing else of /lib."""
    listing = subprocess.run(
        ["ldd", *map(str, binaries)], capture_output=True, text=True, timeout=_SECONDS, check=False
    ).stdout
    words = {word for line in listing.splitlines() for word in line.split()}
    libraries = sorted(word for word in words if word.startswith("/") and os.path.exists(word))
    return [part for path in libraries for part in ("--ro-bind", path, path)]
