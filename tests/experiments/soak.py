"""Runs disturbed in every way that machines know, each compared with an undisturbed one.

``python tests/experiments/soak.py [KILLS]`` prints the table of ``docs/reliability.md``. The suite
does the same in small.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

from small_runs import without_times, write_table

from dlst.errors import RunError
from dlst.experiments import Limits, Plan, RecordFolder, probes, run
from dlst.experiments.record_lines import from_line

HERE = Path(__file__).parent
UNBENT = ("failed", "reported", "kept")
"""Words that are no nouns, and stay as they are of many."""

DEADLY = (
    "dies",
    "dies_once",
    "hangs",
    "leaves_a_child",
    "talks",
    "fills_its_cgroup",
    "fills_memory",
)


@contextmanager
def deadly_probes():
    """Let plans ask for the probes of ``deadly_probes``."""
    known, path = dict(probes._ADDRESSES), os.environ.get("PYTHONPATH", "")
    probes._ADDRESSES.update({name: f"deadly_probes:{name}" for name in DEADLY})
    os.environ["PYTHONPATH"] = f"{HERE}{os.pathsep}{path}"
    try:
        yield
    finally:
        probes._ADDRESSES.clear()
        probes._ADDRESSES.update(known)
        os.environ["PYTHONPATH"] = path


def small_plan(folder, cells):
    table = write_table(Path(folder, "table.csv"))
    return Plan([table], ["mlknn"], splits=["random"], seeds=cells)


def started(plan, folder, first=""):
    """Start a plan in a process and a process group of its own, which can be killed."""
    script = textwrap.dedent(f"""
        import json
        from dlst.experiments import plan_of, run
        {first}
        run(plan_of(json.loads({json.dumps(plan.as_dict())!r})), {str(folder)!r})
    """)
    return subprocess.Popen([sys.executable, "-c", script], start_new_session=True)


def workers_of(process):
    try:
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    except OSError:
        return []
    return [int(each) for each in found]


def whole_lines(folder):
    """Give the keys of the records as they lie on disk; each must be whole and sound."""
    file = Path(folder, "records.jsonl")
    lines = file.read_bytes().split(b"\n")[:-1] if file.is_file() else []
    return [from_line(line)["key"] for line in lines]


def kills(folder, n, seed=0, cells=120):
    """Kill the runner, its worker, or its whole group, n times in all at random moments.

    Each run is killed until it ends in spite of that, and is then compared; the last one is left
    to end. What a dead runner started must end by itself.
    """
    plan = small_plan(folder, cells)
    undisturbed = without_times(run(plan, Path(folder, "undisturbed")))
    draw = random.Random(seed)
    counts = Counter(group=0, parent=0, worker=0)
    rounds, known, lost, changed, left = 0, set(), 0, 0, 0
    process = None
    while counts.total() < n or process is not None:
        place = Path(folder, f"killed-{rounds}")
        if process is None:
            process = started(plan, place)
        rest = counts.total() >= n
        # Whom fate has spared so far comes first, so that all three are tried as often.
        kind = min(counts, key=lambda each: (counts[each], draw.random()))
        ended = _ended(process) if rest else not _moment(process, place, kind, draw)
        keys = set(whole_lines(place))
        lost += len(known - keys)
        known = keys
        if ended:
            # Whom a kill hit twice has a record that says so; it is asked for again.
            found = without_times(run(plan, place, again=True))
            changed += sum(one != other for one, other in zip(found, undisturbed, strict=True))
            process, known, rounds = None, set(), rounds + 1
            continue
        workers = workers_of(process)
        if not _killed(process, kind, workers):
            continue
        counts[kind] += 1
        if kind != "worker":
            process.wait()
            left += sum(not _gone(pid) for pid in workers)
            process = started(plan, place)
    return {
        "tried": dict(counts),
        "runs": rounds,
        "lost": lost + left,
        "changed": changed,
    }


def _moment(process, place, kind, draw):
    """Wait for a random moment: in the start, or some records later; tell whether it still runs."""
    file = place / "records.jsonl"

    def n_records():
        return file.read_bytes().count(b"\n") if file.is_file() else 0

    at_once = time.monotonic() + draw.uniform(0, 3)
    wanted = n_records() + draw.randrange(1, 30)
    in_start = draw.random() < 0.5
    while process.poll() is None:
        due = time.monotonic() >= at_once if in_start else n_records() >= wanted
        if due and (kind != "worker" or workers_of(process)):
            return True
        time.sleep(0.01)
    return False


def _ended(process):
    process.wait()
    return True


def _killed(process, kind, workers):
    try:
        if kind == "group":
            os.killpg(process.pid, signal.SIGKILL)
        elif kind == "parent":
            process.kill()
        else:
            os.kill(workers[0], signal.SIGKILL)
    except (ProcessLookupError, IndexError):
        return False
    return True


def _gone(pid):
    """Tell whether a process ends within a minute: one that was left alone must do so by itself."""
    for _ in range(600):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.1)
    return False


def three_runners(folder, cells=60):
    """Let three runners share a folder: each cell has one record."""
    plan = small_plan(folder, cells)
    runners = [started(plan, Path(folder, "shared")) for _ in range(3)]
    codes = [runner.wait(600) for runner in runners]
    keys = whole_lines(Path(folder, "shared"))
    undisturbed = without_times(run(plan, Path(folder, "undisturbed")))
    found = without_times(run(plan, Path(folder, "shared")))
    return {
        "tried": {"runner": 3, "failed": sum(map(bool, codes))},
        "lost": cells - len(set(keys)),
        "twice": len(keys) - len(set(keys)),
        "changed": sum(one != other for one, other in zip(found, undisturbed, strict=True)),
    }


JUMPING = """
        import datetime, random, time
        jump = random.Random(0)
        class Jumping(datetime.datetime):
            @classmethod
            def now(cls, tz=None):
                days = datetime.timedelta(days=jump.uniform(-4000, 4000))
                return datetime.datetime.fromtimestamp(0, tz) + abs(days) + days
        datetime.datetime = Jumping
        time.time = lambda: jump.uniform(0, 4e9)
"""


def jumping_clock(folder, cells=20):
    """Run with a clock that jumps by years, forth and back."""
    from dlst.reports import build_document

    plan = small_plan(folder, cells)
    code = started(plan, Path(folder, "jumping"), JUMPING.strip()).wait(600)
    run_folder = RecordFolder(Path(folder, "jumping"))
    found = without_times(run_folder.read())
    undisturbed = without_times(run(plan, Path(folder, "undisturbed")))
    build_document(run_folder.read(), run_folder.plan())
    return {
        "tried": {"clock": 1, "failed": int(code != 0)},
        "lost": cells - len(found),
        "changed": sum(one not in undisturbed for one in found),
    }


def deadly_cell(folder, name, status, tried, limits=None, **settings):
    """Run a probe that ends its process, then one that does not."""
    table = write_table(Path(folder, "table.csv"))
    with deadly_probes():
        plan = Plan(probes=[{"probe": each, "data": table, **settings} for each in (name, "talks")])
        bad, good = run(plan, Path(folder, name), limits=limits or Limits())
    return {
        "tried": {tried: 1},
        "lost": int(good["status"] != "done") + int(bad["status"] != status),
        "changed": 0,
        "message": bad["message"],
    }


def hang(folder):
    """Hang with Python's lock held, beside a cell that a busy machine ends in time, too."""
    marker = Path(folder, "marker")
    found = deadly_cell(folder, "hangs", "timeout", "hang", Limits(seconds=12), marker=str(marker))
    return {**found, "lost": found["lost"] + _goes_on(int(marker.read_text()))}


def _goes_on(process, seconds=10):
    """Tell whether a process is still there after some time; one that was killed ends soon."""
    for _ in range(10 * seconds):
        if not Path(f"/proc/{process}").exists():
            return False
        time.sleep(0.1)
    return True


def refused_memory(folder):
    """Take more memory than the limit of the run."""
    return deadly_cell(folder, "fills_memory", "memory", "refusal", Limits(memory_mib=200))


def out_of_memory(folder):
    """Be killed by the kernel in a control group; None where none can be made."""
    with ExitStack() as after:
        group = _memory_group(after)
        if group is None:
            return None
        return deadly_cell(folder, "fills_its_cgroup", "died", "kill", group=str(group))


def _memory_group(after):
    """Make a group below our own, whatever the version of control groups."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers not in ("memory", ""):
            continue
        root = Path("/sys/fs/cgroup", controllers)
        limit = "memory.limit_in_bytes" if controllers else "memory.max"
        group = root / path.lstrip("/") / f"soak-{os.getpid()}"
        try:
            group.mkdir()
            after.callback(group.rmdir)
            (group / limit).write_text(str(600 * 2**20))
        except OSError:
            continue
        return group
    return None


def full_disk(folder, cells=20):
    """Fill a small file system, make room, go on; None where none can be mounted."""
    place = Path(folder, "small")
    place.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    options = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"]
    if not mount or subprocess.run([mount, *options, place], capture_output=True).returncode:
        return None
    try:
        plan = small_plan(folder, cells)
        filler = place / "filler"
        filler.write_bytes(b"x" * 40_000)
        told, lost = "", 0
        try:
            run(plan, place / "run")
        except RunError as error:
            told = str(error)
        before = set(whole_lines(place / "run"))
        filler.unlink()
        found = run(plan, place / "run")
        lost = len(before - set(whole_lines(place / "run")))
        undisturbed = without_times(run(plan, Path(folder, "undisturbed")))
        return {
            "tried": {"full disk": 1, "reported": int("make room" in told), "kept": len(before)},
            "lost": lost + int("make room" not in told),
            "changed": sum(
                one != other for one, other in zip(without_times(found), undisturbed, strict=True)
            ),
        }
    finally:
        subprocess.run([umount, place], check=True)


def in_words(tried):
    """Say how often each thing was tried, as in ``1 hang`` and ``3 runners, 0 failed``."""
    counts = {f"{what}s" if n != 1 and what not in UNBENT else what: n for what, n in tried.items()}
    return ", ".join(f"{n} {what}" for what, n in counts.items())


def main(n_kills):
    scenes = {
        f"{n_kills} SIGKILLs at random moments": lambda folder: kills(folder, n_kills),
        "three runners on one folder": three_runners,
        "a clock that jumps by years": jumping_clock,
        "a hang with Python's lock held": hang,
        "memory refused by the run's limit": refused_memory,
        "killed by the kernel when out of memory": out_of_memory,
        "a full disk, then room": full_disk,
    }
    print("| what was tried | how often | lost | changed |\n|---|---|---|---|")
    bad = 0
    for title, scene in scenes.items():
        started_at = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            found = scene(Path(folder))
        if found is None:
            print(f"| {title} | not on this machine | | |", flush=True)
            continue
        often = in_words(found["tried"])
        if "runs" in found:
            often += f", in {in_words({'run': found['runs']})}"
        print(f"| {title} | {often} | {found['lost']} | {found['changed']} |", flush=True)
        print(f"{title}: {time.monotonic() - started_at:.0f} s {found}", file=sys.stderr)
        bad += found["lost"] + found["changed"] + found.get("twice", 0)
    return bad


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)))
