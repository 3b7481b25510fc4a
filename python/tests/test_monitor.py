"""Servers that are watched: the request goes on whatever happens, and slower routes are told."""

import asyncio
import io
import logging
import threading
import types
import urllib.error
import urllib.request
from wsgiref.simple_server import WSGIRequestHandler, make_server

import calor
import pytest
from recorded import matmul, recording


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def app(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/raise":
        raise RuntimeError("as planned")
    if path == "/broken":
        start_response("500 Internal Server Error", [])
        return [b"broken"]
    start_response("200 OK", [("Content-Type", "text/plain")])
    if path.startswith("/parts"):
        return (part for part in (b"one ", b"two"))
    return [b"hello ", path.encode()]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_args):
        pass

    def get_stderr(self):
        return io.StringIO()


@pytest.fixture
def served():
    """A real server with a watched application."""
    monitor = calor.Monitor()
    server = make_server("127.0.0.1", 0, monitor.wsgi(app), handler_class=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield monitor, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def fetch(address):
    with urllib.request.urlopen(address, timeout=20) as answer:
        return answer.status, dict(answer.headers), answer.read()


def test_a_real_server_answers_as_before_and_is_timed_by_route(served):
    monitor, address = served
    for number in (1, 22, 333):
        status, headers, body = fetch(f"{address}/users/{number}")
        assert (status, body) == (200, b"hello /users/%d" % number)
        # The server knows the length only where it sees the list itself.
        assert headers.get("Content-Length") is None or int(headers["Content-Length"]) == len(body)
    assert fetch(f"{address}/parts")[2] == b"one two"
    for path in ("broken", "raise"):
        with pytest.raises(urllib.error.HTTPError) as failed:
            fetch(f"{address}/{path}")
        assert failed.value.code == 500
    report = monitor.report()
    assert report["GET /users/{id}"]["count"] == 3 and report["GET /users/{id}"]["failed"] == 0
    assert report["GET /parts"]["count"] == 1 and report["GET /parts"]["mean_ms"] > 0
    assert report["GET /broken"]["failed"] == report["GET /raise"]["failed"] == 1
    assert monitor.failures == 0


def test_an_answer_is_handed_on_as_it_is():
    monitor = calor.Monitor()
    body = [b"x"]
    closed = []

    class Parts:
        def __iter__(self):
            return iter([b"a", b"b"])

        def close(self):
            closed.append(True)

    for answer in (body, Parts()):
        watched = monitor.wsgi(lambda environ, start: answer)
        told = watched({"REQUEST_METHOD": "GET", "PATH_INFO": "/"}, lambda *_: None)
        assert (told is body) if answer is body else list(told) == [b"a", b"b"]
        if answer is not body:
            told.close()
    assert closed == [True]
    assert monitor.report()["GET /"]["count"] == 2


def test_an_asgi_application_is_watched_and_other_kinds_pass():
    monitor = calor.Monitor()
    seen = []

    async def inner(scope, receive, send):
        seen.append(scope["type"])
        if scope.get("path") == "/raise":
            raise RuntimeError("as planned")
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 503 if scope.get("path") == "/busy" else 200})
        await send({"type": "http.response.body", "body": b"hi"})

    async def drive():
        watched, sent = monitor.asgi(inner), []

        async def send(message):
            sent.append(message)

        async def request(path, kind="http"):
            await watched({"type": kind, "method": "POST", "path": path}, None, send)

        await asyncio.gather(*(request(f"/items/{n}") for n in range(5)), request("/busy"))
        with pytest.raises(RuntimeError, match="as planned"):
            await request("/raise")
        await request("/", "lifespan")
        return sent

    with recording():
        sent = asyncio.run(drive())
        report = calor.profile_report("json")
    assert len(sent) == 14 and seen.count("lifespan") == 1
    told = monitor.report()
    assert told["POST /items/{id}"]["count"] == 5 and told["POST /busy"]["failed"] == 1
    assert told["POST /raise"]["failed"] == 1 and "POST /" not in told
    assert report["POST /items/{id}"]["kind"] == "context" and monitor.failures == 0


def test_an_asgi_application_may_give_whatever_can_be_awaited():
    @types.coroutine
    def generator(scope, receive, send):
        yield from asyncio.sleep(0).__await__()
        yield from send({"type": "http.response.start", "status": 200}).__await__()

    class Plain:
        """Its iterator can only go on, and not be sent anything."""

        def __init__(self, scope, receive, send):
            pass

        def __await__(self):
            return iter([None, None])

    async def send(message):
        pass

    async def drive(app):
        await monitor.asgi(app)({"type": "http", "method": "GET", "path": f"/{app.__name__}"}, None, send)

    with recording():
        monitor = calor.Monitor()
        for app in (generator, Plain):
            asyncio.run(drive(app))
    told = monitor.report()
    assert [told[f"GET /{name}"]["count"] for name in ("generator", "Plain")] == [1, 1]
    assert sum(route["failed"] for route in told.values()) == 0


def test_requests_that_wait_at_the_same_time_take_their_own_time_alone():
    async def inner(scope, receive, send):
        await asyncio.sleep(0.05)

    async def drive(watched):
        requests = [watched({"type": "http", "method": "GET", "path": path}, None, None) for path in ("/a", "/b") * 5]
        await asyncio.gather(*requests)

    monitor = calor.Monitor()
    with recording():
        asyncio.run(drive(monitor.asgi(inner)))
        report = calor.profile_report("json")
    for route in ("GET /a", "GET /b"):
        assert report[route]["count"] == 5
        # Of 50 ms each hardly anything is work; their lives have it.
        assert report[route]["total_time_ms"] < 40 and report[route]["life_mean_ms"] > 45


def test_a_time_that_none_can_take_is_refused():
    with pytest.raises(ValueError, match="cannot take -5"):
        calor.Monitor().observe("x", -5)


def test_operations_of_a_handler_belong_to_its_route():
    async def handler(scope, receive, send):
        for _ in range(3):
            matmul(1)
            await asyncio.sleep(0)
        await asyncio.gather(*(below() for _ in range(2)))
        await asyncio.get_running_loop().run_in_executor(None, lambda: None)
        matmul(2)
        await send({"type": "http.response.start", "status": 200})

    async def below():
        await asyncio.sleep(0.001)

    async def send(message):
        pass

    async def drive():
        watched = calor.Monitor().asgi(handler)
        paths = ["/a", "/b"] * 4
        await asyncio.gather(*(watched({"type": "http", "method": "GET", "path": path}, None, send) for path in paths))
        matmul(1)

    with recording():
        asyncio.run(drive())
        found = {name: calor.profile_report("json", context=name)["operations"] for name in ("GET /a", "GET /b")}
        in_all = sum(row["count"] for row in calor.profile_report("json")["operations"])
    assert {name: [row["count"] for row in rows] for name, rows in found.items()} == {"GET /a": [20], "GET /b": [20]}
    assert in_all == 41


def test_routes_are_bounded():
    monitor = calor.Monitor(max_routes=5)
    for number in range(100):
        with monitor.section(f"route {number}"):
            pass
    report = monitor.report()
    assert len(report) == 5 and report["(other routes)"]["count"] == 96
    name = "x" * 5_000
    monitor = calor.Monitor()
    monitor.observe(name, 5)
    assert [len(found) for found in monitor.report()] == [200]


def test_whatever_fails_in_the_monitor_the_request_goes_on():
    def odd(_environ):
        raise KeyError("odd")

    def clock():
        raise OSError("no clock")

    for monitor in (calor.Monitor(route=odd), calor.Monitor(clock=clock)):
        watched = monitor.wsgi(app)
        assert watched({"REQUEST_METHOD": "GET", "PATH_INFO": "/"}, lambda *_: None) == [b"hello ", b"/"]
        assert monitor.failures == 1


def test_what_raises_inside_is_raised_outside():
    monitor = calor.Monitor()
    with pytest.raises(ZeroDivisionError):
        with monitor.section("odd"):
            1 / 0
    assert monitor.report()["odd"]["failed"] == 1
    with pytest.raises(RuntimeError, match="as planned"):
        monitor.wsgi(app)({"PATH_INFO": "/raise"}, None)


def windows(monitor, clock, n, ns, calls=250):
    for at in range(n):
        for call in range(calls):
            # Calls of one window differ, and windows do a little.
            monitor.observe("GET /", ns + (call * 37) % 400 * (ns // 2_000) + at % 3 * (ns // 1_000))
        clock.now += 10.0


def test_a_route_that_became_slower_is_logged_once_and_its_end_too(caplog):
    clock, told = Clock(), []
    monitor = calor.Monitor(window=10.0, baseline_windows=12, on_regression=told.append, clock=clock)
    with caplog.at_level(logging.INFO, logger="calor.monitor"):
        windows(monitor, clock, 20, 1_000_000)
        assert not monitor.regressions() and not monitor.report()["GET /"]["is_learning"]
        assert caplog.records == []
        windows(monitor, clock, 15, 1_500_000)
        [found] = monitor.regressions().values()
        assert found["regression"]["effect"] > 0.2
        windows(monitor, clock, 10, 1_000_000)
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert "PERFORMANCE REGRESSION: GET / takes +" in caplog.text and "is as it was" in caplog.text
    [regression] = told
    assert regression["section"] == "GET /" and regression["effect"] > 0.1
    assert monitor.regressions() == {}


def test_wrong_settings_are_told():
    for wrong, message in [
        ({"window": 0}, "seconds"),
        ({"baseline_windows": 3}, "8 or more"),
        ({"max_routes": 0}, "between 1 and 4000"),
        ({"min_calls": 0}, "min_calls=1"),
        ({"margin": -1}, "no part of anything"),
        ({"min_impact_ms": -1}, "milliseconds in a second"),
    ]:
        with pytest.raises(ValueError, match=message):
            calor.Monitor(**wrong)
    with pytest.raises(TypeError, match="on_regression"):
        calor.Monitor(on_regression="log")
    with pytest.raises(TypeError, match="window is a number, not 'a'"):
        calor.Monitor(window="a")
    for watched in (calor.Monitor().wsgi, calor.Monitor().asgi):
        with pytest.raises(TypeError, match="not 3"):
            watched(3)


def test_threads_count_exactly():
    monitor = calor.Monitor()

    def calls():
        for _ in range(500):
            with monitor.section("shared"):
                pass

    threads = [threading.Thread(target=calls) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert monitor.report()["shared"]["count"] == 2_000
