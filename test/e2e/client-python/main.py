"""Python's kubernetes against a server: main.py URL TOKEN. Creates, reads, changes, lists, watches and deletes objects of all sizes on kept connections; then
a watch follows them over a restart of the server: "synced" is written when it may be restarted, and a line is read when it has been."""

import sys
import threading
import time

import urllib3
from kubernetes import client, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "default"
SIZES = [1, 1000, 16 * 1024, 60_000, 900_000]
PATIENCE_SECONDS = 60

urllib3.disable_warnings()


def connect(url, token):
    configuration = client.Configuration()
    configuration.host = url
    configuration.verify_ssl = False
    configuration.api_key = {"authorization": "Bearer " + token}
    # What fails is not tried again behind the test's back.
    configuration.retries = False
    return client.CoreV1Api(client.ApiClient(configuration))


def config_map(name, size):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name), data={"v": "x" * size})


def expect_status(status, call, *args):
    try:
        call(*args)
    except ApiException as error:
        assert error.status == status, error
    else:
        raise AssertionError("not refused with %d" % status)


def change_objects(api):
    for size in SIZES:
        name = "python-%d" % size
        created = api.create_namespaced_config_map(NAMESPACE, config_map(name, size))
        stale = created.metadata.resource_version
        for following in SIZES:
            created.data = {"v": "y" * following}
            created = api.replace_namespaced_config_map(name, NAMESPACE, created)
            api.patch_namespaced_config_map(name, NAMESPACE, {"metadata": {"labels": {"patched": str(following)}}})
            created = api.read_namespaced_config_map(name, NAMESPACE)
            assert created.data["v"] == "y" * following and created.metadata.labels["patched"] == str(following)
        assert name in [item.metadata.name for item in api.list_namespaced_config_map(NAMESPACE).items]
        created.metadata.resource_version = stale
        expect_status(409, api.replace_namespaced_config_map, name, NAMESPACE, created)
        seen = []
        events = watch.Watch().stream(api.list_namespaced_config_map, NAMESPACE, resource_version=stale, field_selector="metadata.name=" + name, timeout_seconds=PATIENCE_SECONDS)
        api.delete_namespaced_config_map(name, NAMESPACE)
        for event in events:
            seen.append(event["type"])
            if event["type"] == "DELETED":
                break
        assert seen == ["MODIFIED"] * (2 * len(SIZES)) + ["DELETED"], seen
        expect_status(404, api.read_namespaced_config_map, name, NAMESPACE)


class Follower(threading.Thread):
    """Watches on and on from the last version that it has seen, and lists again where that is gone."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self.api = api
        self.list()

    def list(self):
        listed = self.api.list_namespaced_config_map(NAMESPACE)
        self.names = {item.metadata.name for item in listed.items}
        self.version = listed.metadata.resource_version

    def run(self):
        while True:
            try:
                for event in watch.Watch().stream(self.api.list_namespaced_config_map, NAMESPACE, resource_version=self.version, timeout_seconds=PATIENCE_SECONDS):
                    self.take(event["type"], event["object"].metadata)
            except urllib3.exceptions.HTTPError:
                time.sleep(0.1)
            except ApiException as error:
                if error.status == 503:
                    time.sleep(int(error.headers["Retry-After"]))
                else:
                    assert error.status == 410, error
                    self.list()

    def take(self, kind, metadata):
        self.version = metadata.resource_version
        if kind == "DELETED":
            self.names.discard(metadata.name)
        else:
            self.names.add(metadata.name)

    def wait_for(self, name, present):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (name in self.names) != present:
            assert time.monotonic() < deadline, "%s: %s, %r" % (name, present, self.names)
            time.sleep(0.01)


def follow_over_restart(url, token):
    follower = Follower(connect(url, token))
    follower.start()
    connect(url, token).create_namespaced_config_map(NAMESPACE, config_map("python-before", 60_000))
    follower.wait_for("python-before", True)
    print("synced", flush=True)
    sys.stdin.readline()
    # A server that was restarted has closed its connections.
    api = connect(url, token)
    api.create_namespaced_config_map(NAMESPACE, config_map("python-after", 60_000))
    follower.wait_for("python-after", True)
    api.delete_namespaced_config_map("python-before", NAMESPACE)
    follower.wait_for("python-before", False)


change_objects(connect(sys.argv[1], sys.argv[2]))
follow_over_restart(sys.argv[1], sys.argv[2])
print("done", flush=True)
