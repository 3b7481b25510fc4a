"""Libraries that are imported after profiling was turned on: whoever records them is called when they are there."""

import sys

_waiting: dict = {}


def when_imported(name, then):
    """Calls ``then`` with the module of that name: now if it is imported, else once it has been."""
    module = sys.modules.get(name)
    if module is not None and not _is_being_imported(module):
        then(module)
        return
    _waiting[name] = then
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def forget(name):
    """Does not wait for that module any more."""
    _waiting.pop(name, None)
    if not _waiting and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _is_being_imported(module):
    return getattr(getattr(module, "__spec__", None), "_initializing", False)


class _Finder:
    """Finds nothing itself, but sees what others find."""

    def find_spec(self, name, path=None, target=None):
        if name not in _waiting:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                _watch(name, spec.loader)
                return spec
        return None


_finder = _Finder()


def _watch(name, loader):
    """Has the loader, which is made for this one import, tell when the module is there."""
    run = getattr(loader, "exec_module", None)
    if run is None:
        return

    def exec_module(module):
        vars(loader).pop("exec_module", None)
        run(module)
        then = _waiting.get(name)
        forget(name)
        if then is not None:
            then(module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        pass
