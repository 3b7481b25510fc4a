"""NumPy that is imported while profiling is on: hooks are put in as soon as it is there."""

import sys

_WATCHED = frozenset(
    ("numpy", "numpy.char", "numpy.fft", "numpy.linalg", "numpy.random", "numpy.strings", "scipy.special")
)


class _Watcher:
    """Finds nothing itself: has the module loaded as it would be, and tells when that is done."""

    def __init__(self, tell, run_unseen):
        self._tell = tell
        self._run_unseen = run_unseen

    def find_spec(self, name, path=None, target=None):
        if name not in _WATCHED:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                self._watch(name, spec.loader)
                return spec
        return None

    def _watch(self, name, loader):
        run = getattr(loader, "exec_module", None)
        if run is None:
            return

        def exec_module(module):
            # The loader is as it was before anybody can see the module.
            loader.__dict__.pop("exec_module", None)
            # What a part of NumPy does for itself, such as to seed its first generator, is no work of the line that
            # happens to use it first.
            if name.startswith("numpy."):
                self._run_unseen(run, module)
            else:
                run(module)
            self._tell(name)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            pass


_watchers: list = []


def watch(tell, run_unseen):
    """Calls ``tell`` with the name of each part of NumPy and SciPy that is imported from now on.

    Code of NumPy's parts runs by ``run_unseen``, with the module.
    """
    if not _watchers:
        _watchers.append(_Watcher(tell, run_unseen))
        sys.meta_path.insert(0, _watchers[0])


def unwatch():
    """Leaves imports as they were."""
    while _watchers:
        watcher = _watchers.pop()
        if watcher in sys.meta_path:
            sys.meta_path.remove(watcher)
