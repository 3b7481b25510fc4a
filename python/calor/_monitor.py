"""Watches a server while it runs: how long each route takes, and whether that became longer."""

import logging
import os
import re
import threading
import time
import weakref

from ._calor import CallBaseline, CallWindow, Detector, Life, ProfileContext, Steps, is_enabled

#: Where calls go whose route would be one too many.
OTHER = "(other routes)"
#: Letters of a route that are kept.
_LONGEST = 200
_KNOWN_METHODS = frozenset("GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH".split())
#: Parts of a path that name one thing and not a kind of things.
_NAMES_ONE = re.compile(
    r"\d+|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|(?=[a-zA-Z]*\d)[0-9a-fA-F]{12,}|.{41,}"
)


def _called(app):
    if not callable(app):
        raise TypeError(f"an application is something that is called, not {app!r}")
    return app


class Monitor:
    """Times calls by route, learns what is usual, and tells when calls became slower.

    Put it around a WSGI or ASGI application, or around any block with ``section``. The first windows of a route are
    its baseline; from then on each window is held against it by ``Detector``. A regression is logged as a warning
    once, when it begins, and its end is logged, too.

    Whatever goes wrong in here is counted and logged, and the request goes on. Routes are bounded: further ones share
    one entry. While profiling is enabled, each route is also a context of the profile.

    Args:
        window: Seconds that are judged together.
        baseline_windows: Windows, with enough calls, that a route learns from; at least 8.
        min_calls: Windows with fewer calls are passed over.
        margin: Calls have to be slower by more than this part; 0.05 is 5 %.
        min_impact_ms: They have to take so many milliseconds more in each second.
        max_routes: Routes with entries of their own.
        route: Called with the WSGI environ or the ASGI scope for the name of the route; method and path otherwise,
            with ``{id}`` for parts of the path that are numbers or keys.
        on_regression: Called with a dict when a regression begins, after it was logged.
        logger: Where it is logged; the logger ``calor.monitor`` otherwise.
        clock: Seconds that only grow; ``time.monotonic`` otherwise.

    >>> import calor
    >>> monitor = calor.Monitor(window=10.0)
    >>> def app(environ, start_response):
    ...     start_response("200 OK", [])
    ...     return [b"hello"]
    >>> watched = monitor.wsgi(app)
    >>> watched({"REQUEST_METHOD": "GET", "PATH_INFO": "/users/7"}, lambda status, headers: None)
    [b'hello']
    >>> monitor.report()["GET /users/{id}"]["count"]
    1
    """

    def __init__(
        self,
        *,
        window=60.0,
        baseline_windows=30,
        min_calls=200,
        margin=0.05,
        min_impact_ms=1.0,
        max_routes=200,
        route=None,
        on_regression=None,
        logger=None,
        clock=time.monotonic,
    ):
        numbers = {
            "window": window,
            "baseline_windows": baseline_windows,
            "min_calls": min_calls,
            "margin": margin,
            "min_impact_ms": min_impact_ms,
            "max_routes": max_routes,
        }
        for name, given in numbers.items():
            if isinstance(given, bool) or not isinstance(given, (int, float)):
                raise TypeError(f"{name} is a number, not {given!r}")
        if not 0 <= margin < 1e6:
            raise ValueError(f"a margin of {margin!r} is no part of anything: 0.05 is 5 %")
        if not 0 <= min_impact_ms < 1e12:
            raise ValueError(f"min_impact_ms is 0 or more milliseconds in a second, not {min_impact_ms!r}")
        if not 0 < window < 1e9:
            raise ValueError(f"a window of {window!r} seconds is none")
        if baseline_windows < 8:
            raise ValueError(f"{baseline_windows!r} windows do not say how much windows differ: give 8 or more")
        if not 1 <= max_routes <= 4000:
            raise ValueError(f"max_routes is between 1 and 4000, not {max_routes!r}")
        if min_calls < 1:
            raise ValueError(f"windows of {min_calls!r} calls say nothing: give min_calls=1 or more")
        for name, given in (("route", route), ("on_regression", on_regression)):
            if given is not None and not callable(given):
                raise TypeError(f"{name} is a function or None, not {given!r}")
        self._window, self._n_baseline, self._min_calls = float(window), int(baseline_windows), int(min_calls)
        self._margin, self._min_impact_ns, self._max_routes = float(margin), min_impact_ms * 1e6, int(max_routes)
        self._route_of, self._on_regression, self._clock = route, on_regression, clock
        self._logger = logger if logger is not None else logging.getLogger("calor.monitor")
        self._routes = {}
        self._lock = threading.Lock()
        self._n_failed = 0
        _forkable.add(self)

    def wsgi(self, app):
        """The application with its requests watched. Answers are handed on as they are."""
        return _Wsgi(self, _called(app))

    def asgi(self, app):
        """The application with its requests watched; lifespan and websockets pass untouched."""
        return _Asgi(self, _called(app))

    def section(self, name):
        """Watches a block: ``with monitor.section("resize"): ...``

        >>> import calor
        >>> monitor = calor.Monitor()
        >>> with monitor.section("resize"):
        ...     pass
        >>> monitor.report()["resize"]["count"]
        1
        """
        return _Call(self, str(name)[:_LONGEST])

    def observe(self, name, ns, *, size=0, failed=False):
        """Adds a call that took so many nanoseconds and worked on so much; returns the signal of a window that ended, or None."""
        if ns < 0:
            raise ValueError(f"a call cannot take {ns} nanoseconds: give the time from its beginning to its end")
        alarms = []
        with self._lock:
            route = self._route(str(name)[:_LONGEST])
            signal = route.add(int(ns), size, failed, self._clock())
            if signal is not None and signal.kind in ("opened", "closed"):
                alarms.append((route.name, signal))
        for found, told in alarms:
            self._tell(found, told)
        return signal

    def report(self):
        """Each route by name: ``count``, ``failed``, ``mean_ms``, ``max_ms``, ``is_learning`` and ``regression``, which is None
        or has ``effect``, ``interval`` and ``impact_ms`` a second."""
        with self._lock:
            return {name: route.told() for name, route in self._routes.items()}

    def regressions(self):
        """The routes that are slower than they were, as ``report`` has them.

        >>> import calor
        >>> calor.Monitor().regressions()
        {}
        """
        return {name: told for name, told in self.report().items() if told["regression"] is not None}

    @property
    def failures(self):
        """How often something went wrong in the monitor itself; requests never notice."""
        return self._n_failed

    def _route(self, name):
        route = self._routes.get(name)
        if route is None:
            # The last entry is that of all others.
            if len(self._routes) >= self._max_routes - 1 and name != OTHER:
                return self._route(OTHER)
            route = self._routes[name] = _Route(name, self)
        return route

    def _named(self, given, method, path):
        """The name of a route; never fails."""
        try:
            if self._route_of is not None:
                return str(self._route_of(given))[:_LONGEST]
            method = method if method in _KNOWN_METHODS else "OTHER"
            parts = ["{id}" if _NAMES_ONE.fullmatch(part) else part for part in path.split("/")]
            return f"{method} {'/'.join(parts) or '/'}"[:_LONGEST]
        except Exception:
            self._failed()
            return OTHER

    def _recorded(self, name):
        """The context of a route while profiling is enabled, or None; those beyond the bound share one."""
        if not is_enabled():
            return None
        with self._lock:
            return self._route(name).context

    def _tell(self, name, signal):
        alarm = signal.alarm
        low, high = alarm.interval
        if signal.kind == "closed":
            self._logger.info("performance of %s is as it was", name)
            return
        self._logger.warning(
            "PERFORMANCE REGRESSION: %s takes %+.1f %% (%+.1f to %+.1f %%), %.1f ms more in each second",
            name,
            alarm.effect * 100,
            low * 100,
            high * 100,
            alarm.impact_ns / 1e6,
        )
        if self._on_regression is not None:
            self._on_regression({"section": name, **_told(alarm)})

    def _failed(self):
        self._n_failed += 1
        if self._n_failed == 1:
            self._logger.debug("the monitor failed; the request goes on", exc_info=True)


class _Route:
    """What is known of one route. Its monitor's lock is held around all of it."""

    __slots__ = ("alarm", "context", "count", "detector", "failed", "good", "max_ns", "monitor", "name", "started", "total_ns", "window")

    def __init__(self, name, monitor):
        self.name, self.monitor = name, weakref.proxy(monitor)
        self.context = ProfileContext(name)
        self.window, self.started = CallWindow(), None
        self.good, self.detector, self.alarm = [], None, None
        self.count = self.failed = self.total_ns = self.max_ns = 0

    def add(self, ns, size, failed, now):
        signal = None
        if self.started is None:
            self.started = now
        elif now - self.started >= self.monitor._window:
            signal = self.judged(now - self.started)
            self.window, self.started = CallWindow(), now
        self.window.add(ns, size)
        self.count += 1
        self.failed += bool(failed)
        self.total_ns += ns
        self.max_ns = max(self.max_ns, ns)
        return signal

    def judged(self, seconds):
        monitor = self.monitor
        if self.detector is not None:
            signal = self.detector.observe(self.window, seconds)
            self.alarm = self.detector.alarm
            return signal
        if self.window.calls >= monitor._min_calls:
            self.good.append(self.window)
        if len(self.good) >= monitor._n_baseline:
            limits = {"min_calls": monitor._min_calls, "margin": monitor._margin, "min_impact_ns": monitor._min_impact_ns}
            self.detector = Detector(CallBaseline(self.good), **limits)
            self.good = []
        return None

    def told(self):
        return {
            "count": self.count,
            "failed": self.failed,
            "mean_ms": self.total_ns / self.count / 1e6 if self.count else None,
            "max_ms": self.max_ns / 1e6 if self.count else None,
            "is_learning": self.detector is None,
            "regression": None if self.alarm is None else _told(self.alarm),
        }


class _Call:
    """One call of a route, from when it is made until ``end``."""

    __slots__ = ("begun", "context", "monitor", "name")

    def __init__(self, monitor, name):
        self.monitor, self.name, self.begun, self.context = monitor, name, None, None
        try:
            self.context = monitor._recorded(name)
        except Exception:
            monitor._failed()
        self.begun = time.perf_counter_ns()

    def end(self, failed):
        begun, self.begun = self.begun, None
        if begun is None:
            return
        try:
            self.monitor.observe(self.name, time.perf_counter_ns() - begun, failed=failed)
        except Exception:
            self.monitor._failed()

    def __enter__(self):
        self.begun = time.perf_counter_ns()
        if self.context is not None:
            self.context.__enter__()
        return self

    def __exit__(self, kind, error, traceback):
        if self.context is not None:
            self.context.__exit__(kind, error, traceback)
        self.end(kind is not None)
        return False


class _Wsgi:
    """A WSGI application that is watched."""

    def __init__(self, monitor, app):
        self._monitor, self._app = monitor, app

    def __call__(self, environ, start_response):
        name = self._monitor._named(environ, environ.get("REQUEST_METHOD"), environ.get("PATH_INFO") or "/")
        call = _Call(self._monitor, name)
        status = []

        def started(line, *rest, **named):
            status[:] = [line]
            return start_response(line, *rest, **named)

        try:
            if call.context is None:
                body = self._app(environ, started)
            else:
                with call.context:
                    body = self._app(environ, started)
        except BaseException:
            call.end(failed=True)
            raise
        # Servers look at what the answer is: its length, or a file that the system can send by itself.
        wrapper = environ.get("wsgi.file_wrapper")
        is_file = isinstance(wrapper, type) and isinstance(body, wrapper)
        if hasattr(body, "__len__") or is_file:
            call.end(failed=_is_failure(status))
            return body
        return _Body(body, call, status)

    def __getattr__(self, name):
        # What frameworks ask of their application; not while this is being copied and has none.
        if name == "_app":
            raise AttributeError(name)
        return getattr(self._app, name)


class _Body:
    """The parts of an answer, which are made while they are sent."""

    def __init__(self, body, call, status):
        self._body, self._parts, self._call, self._status = body, None, call, status

    def __iter__(self):
        return self

    def __next__(self):
        try:
            if self._parts is None:
                self._parts = iter(self._body)
            if self._call.context is None:
                return next(self._parts)
            with self._call.context:
                return next(self._parts)
        except StopIteration:
            self._call.end(failed=_is_failure(self._status))
            raise
        except BaseException:
            self._call.end(failed=True)
            raise

    def close(self):
        try:
            close = getattr(self._body, "close", None)
            if close is not None:
                close()
        finally:
            self._call.end(failed=_is_failure(self._status))


class _Asgi:
    """An ASGI application that is watched."""

    def __init__(self, monitor, app):
        self._monitor, self._app = monitor, app

    async def __call__(self, scope, receive, send):
        if scope.get("type") != "http":
            return await self._app(scope, receive, send)
        name = self._monitor._named(scope, scope.get("method"), scope.get("path") or "/")
        call = _Call(self._monitor, name)
        status = []

        async def sent(message):
            if message.get("type") == "http.response.start":
                status[:] = [str(message.get("status", ""))]
            await send(message)

        try:
            if call.context is None:
                await self._app(scope, receive, sent)
            else:

                async def called():
                    # Whatever can be awaited: only a coroutine is sure to be one that can be driven by steps.
                    await self._app(scope, receive, sent)

                # By steps: what other requests do while this one waits is not its time.
                await Steps(Life(call.context), called().__await__(), True)
        except BaseException:
            call.end(failed=True)
            raise
        call.end(failed=_is_failure(status))

    def __getattr__(self, name):
        # What frameworks ask of their application; not while this is being copied and has none.
        if name == "_app":
            raise AttributeError(name)
        return getattr(self._app, name)


def _is_failure(status):
    return bool(status) and str(status[0]).startswith("5")


def _told(alarm):
    return {"effect": alarm.effect, "interval": alarm.interval, "impact_ms": alarm.impact_ns / 1e6, "windows": alarm.windows}


#: Monitors whose lock a forked child has to make anew: another thread may have had it.
_forkable = weakref.WeakSet()


def _after_fork():
    for monitor in list(_forkable):
        monitor._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
