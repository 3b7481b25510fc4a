"""The package's one hook on imports: whoever records a library is told when the program imports it.

A hook that looks for a module asks all others for it. Two of one package would ask each other without end, so there is one,
whoever has asked for it; and where it is asked again while it looks, as by another package's hook of the same kind, it
has found nothing.
"""

import sys
import threading

#: By who asked for it.
_watches: dict = {}
#: Which threads look for which modules now.
_looking: set = set()


class _Watch:
    def __init__(self, names, then, run):
        self.names = frozenset(names)
        self.then = then
        self.run = run


def when_imported(who, name, then):
    """Calls ``then`` with the module of that name: now if it is imported, else once it has been."""
    module = sys.modules.get(name)
    if module is not None and not _is_being_imported(module):
        then(module)
        return

    def once(module):
        forget(who)
        then(module)

    watch(who, (name,), once)


def watch(who, names, then, run=None):
    """Calls ``then`` with each module of those names that is imported from now on.

    Where ``run`` is given, it runs the code of such a module: it is called with a function that does so, and the module.
    """
    _watches[who] = _Watch(names, then, run)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def forget(who):
    """Whoever this is has not asked any more. When nobody has, imports are as they were."""
    _watches.pop(who, None)
    if not _watches and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _is_being_imported(module):
    return getattr(getattr(module, "__spec__", None), "_initializing", False)


def _watches_of(name):
    return [watch for watch in list(_watches.values()) if name in watch.names]


class _Finder:
    """Finds nothing itself, but sees what others find."""

    def find_spec(self, name, path=None, target=None):
        looking = (threading.get_ident(), name)
        if looking in _looking or not _watches_of(name):
            return None
        _looking.add(looking)
        try:
            for finder in sys.meta_path:
                find = None if finder is self else getattr(finder, "find_spec", None)
                spec = find(name, path, target) if find is not None else None
                if spec is not None:
                    _notice(name, spec.loader)
                    return spec
            return None
        finally:
            _looking.discard(looking)


_finder = _Finder()


def _notice(name, loader):
    """Has the loader, which is made for this one import, tell when the module is there."""
    run = getattr(loader, "exec_module", None)
    if run is None:
        return
    # Another package's hook may have put its own there for the same purpose.
    before = getattr(loader, "__dict__", {}).get("exec_module")

    def exec_module(module):
        # The loader is as it was before anybody can see the module.
        if before is None:
            vars(loader).pop("exec_module", None)
        else:
            loader.exec_module = before
        watches = _watches_of(name)
        special = next((watch.run for watch in watches if watch.run is not None), None)
        if special is None:
            run(module)
        else:
            special(run, module)
        for watch in watches:
            watch.then(module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        pass
