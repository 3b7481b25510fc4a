"""Watch a service: how long each route takes, and a word when one became slower.

    python 08_production.py

`calor.Monitor` stands around a WSGI or ASGI application. It never breaks a request and keeps a bounded number of routes.
The first windows of a route are its baseline; after that a window counts as slower only when chance is ruled out, and
larger requests are no regression. This program has no server: it calls the application, and then plays a day.
"""

import logging
import random

import calor

logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")


def application(environment, start_response):
    body = " ".join(map(str, range(2_000))).encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


# Around an application, that is all:
monitor = calor.Monitor()
watched = monitor.wsgi(application)

for user in range(20):
    watched({"REQUEST_METHOD": "GET", "PATH_INFO": f"/users/{user}"}, lambda status, headers: None)
route = monitor.report()["GET /users/{id}"]
print(f"GET /users/{{id}}: {route['count']} calls")
assert route["count"] == 20

# A day in a moment: the clock is ours, and each call says how long it took.
minute = 0
found = []
monitor = calor.Monitor(
    window=60.0, baseline_windows=20, min_calls=50, clock=lambda: minute * 60.0, on_regression=found.append
)
rng = random.Random(1)
for minute in range(120):
    slower = 1.3 if minute >= 60 else 1.0
    for _ in range(100):
        monitor.observe("POST /predict", int(rng.gauss(20e6, 2e6) * slower))

print(f"found in the second hour: {found[0]}")
assert len(found) == 1
