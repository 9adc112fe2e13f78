"""Requests to a daemon's admin socket, for the Python programs among the tests."""
import http.client, json, socket


class Refused(OSError):
    """The daemon has answered with an error."""


class Connection(http.client.HTTPConnection):
    def __init__(self, path, patience=120):
        super().__init__("localhost", timeout=patience)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def ask(socket_path, method, path, body=None, patience=120):
    """Returns the JSON of the answer, None for an empty one."""
    connection = Connection(socket_path, patience)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None)
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    if answer.status >= 300:
        raise Refused(f"{method} {path}: {answer.status} {text[:300]}")
    return json.loads(text) if text.strip() else None
