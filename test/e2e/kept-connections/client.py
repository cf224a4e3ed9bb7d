"""Python's http.client: client.py URL TOKEN PLAN...; goes through each plan on a connection of its own, and says how many connections it took."""

import http.client
import json
import ssl
import sys
import threading
from urllib.parse import urlsplit

url, token, plans = urlsplit(sys.argv[1]), sys.argv[2], sys.argv[3:]
context = ssl._create_unverified_context()
failures = []
opened = 0


def step(connection, wanted):
    headers = {"Authorization": "Bearer " + token, "Accept": wanted["accept"]}
    body = None
    if wanted["bodyFile"]:
        headers["Content-Type"] = wanted["contentType"]
        with open(wanted["bodyFile"], "rb") as file:
            body = file.read()
    # http.client sends head and body in writes, and so in TLS records, of their own.
    connection.request(wanted["method"], wanted["path"], body=body, headers=headers)
    answer = connection.getresponse()
    data = answer.read()
    if answer.status != wanted["status"] or len(data) < wanted["bytesMin"]:
        raise ValueError("%d, %d bytes: %r" % (answer.status, len(data), data[:200]))


def follow(plan):
    global opened
    with open(plan, "rb") as file:
        steps = json.load(file)
    connection = http.client.HTTPSConnection(url.hostname, url.port, context=context, timeout=60)
    for wanted in steps:
        if connection.sock is None:
            opened += 1
        try:
            step(connection, wanted)
        except Exception as error:
            failures.append("%s %s: %r" % (wanted["method"], wanted["path"], error))
            connection.close()


threads = [threading.Thread(target=follow, args=(plan,)) for plan in plans]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"failures": failures[:5], "failed": len(failures), "connections": opened}))
