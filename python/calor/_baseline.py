"""What a program took when all was well, and whether it still does."""

import os
import threading
import warnings
from collections.abc import Mapping

from . import _calor
from ._compare import _side, compare
from ._report import as_snapshot, profile_report

# One run a side tells nothing about how much runs differ. What is slower by more than this is suspected all the same: chosen as the
# tolerance of budgets is, and not measured.
_BEYOND_CHANCE = 0.5
# And the part of all time that it has to be, or the shortest scopes would be told.
_WORTH_TELLING = 0.01
_RUNS = 5

_lock = threading.Lock()
_current = None


def set_baseline(baseline, *, profile=None, tolerance=0.5, per="total", store=None):
    """Says what ``check_baseline()`` holds this process against.

    Args:
        baseline: Milliseconds by the name of a context or scope, such as ``{"load": 50.0}``; or a name, such as
            ``"main"``, under which what was recorded is kept in the project's store (``.calor``). ``calor check`` and
            later runs of the program find it there.
        profile: For a name: a ``Snapshot``, a path or a list of these to keep; what was recorded so far otherwise.
        tolerance: For milliseconds: up to how much more counts as no regression; 0.5 is 50 %.
        per: For milliseconds: ``"total"``, of all calls together, or ``"call"``, of a call in the mean.
        store: For a name: the folder of the store; ``$CALOR_STORE`` or that of the project otherwise.

    >>> import calor
    >>> calor.set_baseline({"load": 50.0})
    >>> calor.check_baseline()
    []
    """
    global _current
    if isinstance(baseline, Mapping):
        if not baseline:
            raise ValueError('a baseline without sections checks nothing: give milliseconds by section, as in {"load": 50.0}')
        made = _Budgets(baseline, tolerance, per)
    elif isinstance(baseline, str):
        made = _Kept(baseline, store)
        runs = profile if isinstance(profile, (list, tuple)) else [profile]
        runs = [as_snapshot(one) for one in runs]
        if not runs or all(run.is_empty for run in runs):
            raise ValueError("nothing was recorded that could be a baseline: call calor.enable_profiling() before the work")
        _calor.save_baseline(baseline, runs, store=made.store)
    else:
        raise TypeError(f"a baseline is a dict of milliseconds by section, or a name, not {baseline!r}")
    with _lock:
        _current = made


def check_baseline(name=None, *, profile=None, store=None, margin=0.05):
    """What is slower than the baseline.

    Args:
        name: A baseline in the project's store; what ``set_baseline`` was given last otherwise.
        profile: A ``Snapshot`` or the path of a profile, for a named baseline also several; what was recorded in this process
            otherwise.
        store: The folder of the store; ``$CALOR_STORE`` or that of the project otherwise.
        margin: For a named baseline: differences up to this part count as none.

    Returns:
        A list of dicts, empty where nothing is slower: ``section``, ``baseline_ms``, ``actual_ms``, ``ratio``, ``message``,
        and for a named baseline ``effect``, ``interval`` and ``verdict``. A named baseline is judged by the engine of
        ``calor compare``: keep several runs in it (``profile=[...]``), which tell how much runs differ by themselves. One
        run now that is slower than that is ``"suspected"``; it takes several to be ``"regressed"``. Of a baseline of one
        run only what takes half as long again is told, as ``"suspected"``, with a warning that says so. Contexts and scopes
        are judged with what is inside, and stand first; functions and operations by what they take themselves.

    >>> import calor
    >>> calor.enable_profiling()
    >>> with calor.ProfileContext("load"):
    ...     rows = list(range(100_000))
    >>> calor.set_baseline({"load": 0.000001})
    >>> [found["section"] for found in calor.check_baseline()]
    ['load']
    >>> calor.disable_profiling()
    """
    if name is not None:
        return _Kept(name, store).regressions(profile, margin)
    with _lock:
        current = _current
    if current is None:
        raise ValueError("there is no baseline: give calor.set_baseline() milliseconds by section or a name, or name one here")
    return current.regressions(profile, margin)


class _Budgets:
    """Milliseconds by section."""

    def __init__(self, limits, tolerance, per):
        if per not in ("total", "call"):
            raise ValueError(f"budgets are per 'total' or per 'call', not per {per!r}")
        if not 0 <= tolerance < 1e6:
            raise ValueError(f"a tolerance of {tolerance!r} is no part of anything: 0.5 is 50 %")
        for section, limit in limits.items():
            if not isinstance(section, str) or isinstance(limit, bool) or not isinstance(limit, (int, float)):
                raise TypeError(f"a baseline has milliseconds by the name of a section, not {section!r}: {limit!r}")
            if not limit > 0:
                raise ValueError(f"{limit!r} ms is no time for {section!r}: give more than 0")
        self.limits, self.tolerance, self.per = dict(limits), tolerance, per

    def regressions(self, profile, _margin):
        sections = profile_report(format="json", profile=profile)["contexts"]
        found = []
        for section, limit in self.limits.items():
            told = sections.get(section)
            actual = told and told["total_time_ms" if self.per == "total" else "mean_ms"]
            if actual is None:
                if sections:
                    warnings.warn(f"no context or scope named {section!r} was recorded: it is not checked", stacklevel=3)
                continue
            if actual > limit * (1 + self.tolerance):
                message = f"{section} took {actual:.3f} ms (baseline: {limit:g} ms)"
                found.append(_row(section, limit, actual, message))
        return found


class _Kept:
    """Runs in the project's store."""

    def __init__(self, name, store):
        self.name = name
        self.store = None if store is None else os.fspath(store)

    def regressions(self, profile, margin):
        runs = _calor.baseline_runs(self.name, store=self.store)
        now = _side(profile)
        told = compare(runs, now, margin=margin).to_dict()
        is_single = told["interval"] is None
        least_ns = _WORTH_TELLING * (told["before"]["total"] or 0) if is_single else 0
        found = []
        for row in _judged(told, runs, now, margin):
            verdict = _verdict(row)
            if verdict is None and is_single and (row.get("delta_ns") or 0) > least_ns:
                verdict = _beyond_chance(row)
            if verdict is None or row.get("before_ns") is None:
                continue
            before, after = row["before_ns"] / 1e6, row["after_ns"] / 1e6
            message = f"{row['name']} took {after:.3f} ms (baseline {self.name}: {before:.3f} ms)"
            effect = {"effect": row["effect"], "interval": row["interval"], "verdict": verdict}
            found.append({**_row(row["name"], before, after, message), **effect})
        verdict = _verdict(told) or (_beyond_chance(told) if is_single else None)
        if verdict is not None and not found:
            before, after = told["before"]["total"] / 1e6, told["after"]["total"] / 1e6
            effect = {"effect": told["effect"], "interval": told["interval"], "verdict": verdict}
            found.append({**_row("(all)", before, after, told["sentence"]), **effect})
        if is_single:
            warnings.warn(
                f"the baseline {self.name!r} has {len(runs)} run{'s' if len(runs) > 1 else ''}, which do not tell by how much runs "
                f"differ: only what takes {_BEYOND_CHANCE:.0%} longer is told; keep {_RUNS} runs or more, as in "
                f"calor.set_baseline({self.name!r}, profile=[first, second, ...])",
                stacklevel=3,
            )
        return found


def _judged(told, runs, now, margin):
    """What may be slower: the program's own sections with what is inside, since that is what they are opened for, and then
    functions and operations by what they take themselves."""
    sections = _sections(now)
    whole = compare(runs, now, metric=told["metric"], margin=margin, by="total").to_dict() if sections else {"functions": []}
    return [row for row in whole["functions"] if row["name"] in sections] + [
        row for row in told["functions"] if row["name"] not in sections
    ]


def _sections(snapshots):
    return {name for one in snapshots for name in profile_report(format="json", profile=one)["contexts"]}


def _verdict(told):
    """That something is slower: known, or suspected of one run that lies beyond what those of the baseline differ by."""
    if told["verdict"] == "regressed":
        return "regressed"
    is_beyond = told.get("suspected") == "regressed" and told["interval"] is not None and told["interval"][0] > 0
    return "suspected" if is_beyond else None


def _beyond_chance(told):
    """That something is so much slower that one run is enough to suspect it."""
    return "suspected" if (told.get("effect") or 0) > _BEYOND_CHANCE else None


def _row(section, baseline_ms, actual_ms, message):
    ratio = actual_ms / baseline_ms if baseline_ms else None
    return {"section": section, "baseline_ms": baseline_ms, "actual_ms": actual_ms, "ratio": ratio, "message": message}
