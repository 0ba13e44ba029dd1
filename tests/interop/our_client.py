"""Our client against an agent that is served with a foreign SDK, over one interface of its card.

Usage: our_client.py PROGRAM URL BINDING VERSION
PROGRAM is the command line's path. The agents are python/server.py and javascript/server.js. Prints a line
for each operation: its name, "ok", "FAILED" or "-" (the version has no such operation), and what was seen,
with tabs between them.
"""

import json
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread

NO_TASK = "11111111-2222-4333-8444-555555555555"
TIMEOUT = 15


class Absent(Exception):
    """The version has no such operation."""


class Refused(Exception):
    """The command line told of an error."""

    def __init__(self, status: int, document):
        super().__init__(f"exit status {status}: {json.dumps(document)}")
        self.status = status
        self.reason = document.get("error", {}).get("agent", {}).get("reason")


class Ours:
    """The command line, which calls the agent over one interface."""

    def __init__(self, program: str, url: str, binding: str, version: str):
        self.program = program
        self.url = url
        self.binding = binding
        self.version = version

    def start(self, *command: str, arguments=()):
        """Starts a subcommand of `a2a`."""
        whom = [self.url, "--binding", self.binding, "--protocol", self.version, "--json"]
        line = [self.program, "a2a", *command, *whom, *arguments]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def call(self, *command: str, arguments=(), accepts=(0,)):
        """The one document that a subcommand prints."""
        process = self.start(*command, arguments=arguments)
        try:
            output, errors = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"{' '.join(command)} took more than {TIMEOUT} s") from None
        if process.returncode not in accepts:
            try:
                document = json.loads(output)
            except ValueError:
                raise AssertionError(f"exit status {process.returncode}: {output} {errors}") from None
            raise Refused(process.returncode, document)
        return output

    def one(self, *command: str, arguments=(), accepts=(0,)):
        return json.loads(self.call(*command, arguments=arguments, accepts=accepts))

    def task(self, *arguments: str, accepts=(0,)):
        """The task that answers a message."""
        answer = self.one("send", arguments=arguments, accepts=accepts)
        assert "task" in answer, answer
        return answer["task"]

    def events(self, *arguments: str, accepts=(0,)):
        lines = self.call("stream", arguments=arguments, accepts=accepts).splitlines()
        return [json.loads(line) for line in lines]

    def held(self):
        """A task that works until it is canceled."""
        task = self.task("hold", "--at-once")
        assert task["status"]["state"] in ("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"), task
        return task


def refused(reason: str, call, *arguments, **options):
    try:
        answer = call(*arguments, **options)
    except Refused as error:
        assert (error.status, error.reason) == (1, reason), error
    else:
        raise AssertionError(f"answered: {answer}")


def text(parts):
    return [part.get("text") for part in parts]


def kinds(events):
    return [next(iter(event)) for event in events]


def card(ours):
    found = ours.one("card")
    assert found["name"] == "Foreign agent", found
    assert [skill["id"] for skill in found["skills"]] == ["words"]


def send_message(ours):
    answer = ours.one("send", arguments=["message please"])
    assert text(answer["message"]["parts"]) == ["Direct answer"], answer
    assert answer["message"]["role"] == "ROLE_AGENT"


def send_task(ours):
    task = ours.task("echo Zürich 🚗")
    assert task["status"]["state"] == "TASK_STATE_COMPLETED", task
    assert text(task["status"]["message"]["parts"]) == ["Done"], task
    assert text(task["artifacts"][0]["parts"]) == ["echo Zürich 🚗"], task


def send_data(ours):
    """JSON of every kind arrives, and comes back in the artifact as it was sent."""
    data = {"stock": 0, "used": False, "note": "", "none": None, "list": [1, 2.5], "year": 2021}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.json")
        path.write_text(json.dumps(data))
        task = ours.task("echo", "--data", str(path), "--media-type", "application/json")
    [_, part] = task["artifacts"][0]["parts"]
    assert part["data"] == data, part


def send_file(ours):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "picture.bin")
        path.write_bytes(b"\x00\xff\x10")
        task = ours.task("echo", "--file", str(path), "--media-type", "application/octet-stream")
    [_, part] = task["artifacts"][0]["parts"]
    assert (part["raw"], part["mediaType"]) == ("AP8Q", "application/octet-stream"), part


def file_name(ours):
    """Four letters are base64 too, so that agents which take bytes for its text understand them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "words.txt")
        path.write_text("tell")
        task = ours.task("echo", "--file", str(path), "--media-type", "text/plain")
    [_, part] = task["artifacts"][0]["parts"]
    assert part["filename"] == "words.txt", part


def follow_up(ours):
    asked = ours.task("ask")
    assert asked["status"]["state"] == "TASK_STATE_INPUT_REQUIRED", asked
    assert text(asked["status"]["message"]["parts"]) == ["What else?"], asked
    done = ours.task("ask", "--task", asked["id"], "--context", asked["contextId"])
    assert done["id"] == asked["id"], done
    assert done["status"]["state"] == "TASK_STATE_COMPLETED", done


def send_failing(ours):
    task = ours.task("fail", accepts=(1,))
    assert task["status"]["state"] == "TASK_STATE_FAILED", task


def send_at_once(ours):
    task = ours.held()
    ours.one("cancel", arguments=[task["id"]])


def stream(ours):
    events = ours.events("echo Zürich 🚗")
    seen = kinds(events)
    assert seen[0] == "task" and seen[-1] == "statusUpdate", seen
    [artifact] = [event["artifactUpdate"]["artifact"] for event in events if "artifactUpdate" in event]
    assert text(artifact["parts"]) == ["echo Zürich 🚗"], artifact
    assert events[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


def stream_chunks(ours):
    events = ours.events("chunks")
    chunks = [event["artifactUpdate"] for event in events if "artifactUpdate" in event]
    assert [text(chunk["artifact"]["parts"]) for chunk in chunks] == [["one "], ["two"]], chunks
    assert [chunk.get("append", False) for chunk in chunks] == [False, True], chunks
    assert [chunk.get("lastChunk", False) for chunk in chunks] == [False, True], chunks
    task = ours.one("get", arguments=[events[0]["task"]["id"]])
    assert text(task["artifacts"][0]["parts"]) == ["one ", "two"], task


def stream_message(ours):
    events = ours.events("message please")
    assert kinds(events) == ["message"], events


def stream_refused(ours):
    refused("TASK_NOT_FOUND", ours.events, "echo", "--task", NO_TASK)


def get(ours):
    sent = ours.task("echo Zürich 🚗")
    task = ours.one("get", arguments=[sent["id"]])
    assert (task["id"], task["contextId"]) == (sent["id"], sent["contextId"])
    assert text(task["history"][0]["parts"]) == ["echo Zürich 🚗"], task
    one = ours.one("get", arguments=[sent["id"], "--history", "1"])
    assert len(one.get("history", [])) <= 1, one


def get_unknown(ours):
    refused("TASK_NOT_FOUND", ours.one, "get", arguments=[NO_TASK])


def list_tasks(ours):
    if ours.version == "0.3":
        raise Absent("A2A 0.3 lists no tasks")
    first = ours.task("echo 1")
    context = ["--context", first["contextId"]]
    second = ours.task("echo 2", *context)
    whole = ours.one("list", arguments=context)
    assert [task["id"] for task in whole["tasks"]] == [second["id"], first["id"]], whole
    assert (whole["totalSize"], whole["nextPageToken"]) == (2, ""), whole
    page = ours.one("list", arguments=[*context, "--limit", "1"])
    rest = ours.one("list", arguments=[*context, "--limit", "1", "--page", page["nextPageToken"], "--artifacts"])
    assert [page["tasks"][0]["id"], rest["tasks"][0]["id"]] == [second["id"], first["id"]]
    assert text(rest["tasks"][0]["artifacts"][0]["parts"]) == ["echo 1"], rest
    none = ours.one("list", arguments=[*context, "--state", "failed"])
    assert none["tasks"] == [], none


def cancel(ours):
    task = ours.held()
    canceled = ours.one("cancel", arguments=[task["id"]])
    assert canceled["status"]["state"] == "TASK_STATE_CANCELED", canceled


def cancel_finished(ours):
    done = ours.task("echo")
    refused("TASK_NOT_CANCELABLE", ours.one, "cancel", arguments=[done["id"]])


def cancel_unknown(ours):
    refused("TASK_NOT_FOUND", ours.one, "cancel", arguments=[NO_TASK])


def subscribe(ours):
    task = ours.held()
    process = ours.start("subscribe", arguments=[task["id"]])
    try:
        first = json.loads(process.stdout.readline())
        assert first["task"]["id"] == task["id"], first
        ours.one("cancel", arguments=[task["id"]])
        rest, _ = process.communicate(timeout=TIMEOUT)
    finally:
        process.kill()
    last = json.loads(rest.splitlines()[-1])
    state = last.get("statusUpdate", last.get("task"))["status"]["state"]
    assert state == "TASK_STATE_CANCELED", last


def subscribe_finished(ours):
    """Some agents refuse, some answer the task as it is; neither hangs."""
    done = ours.task("echo")
    try:
        lines = ours.call("subscribe", arguments=[done["id"]]).splitlines()
    except Refused as error:
        assert error.status == 1, error
    else:
        assert json.loads(lines[0])["task"]["id"] == done["id"], lines


def push(ours):
    task = ours.held()
    hook = "http://127.0.0.1:9/hook"
    arguments = [task["id"], hook, "--id", "hook"]
    created = ours.one("push", "create", arguments=arguments)
    assert (created["taskId"], created["id"], created["url"]) == (task["id"], "hook", hook), created
    found = ours.one("push", "get", arguments=[task["id"], "hook"])
    assert (found["id"], found["url"]) == ("hook", hook), found
    listed = ours.one("push", "list", arguments=[task["id"]])
    assert [config["id"] for config in listed["configs"]] == ["hook"], listed
    ours.one("cancel", arguments=[task["id"]])


def push_delete(ours):
    task = ours.held()
    ours.one("push", "create", arguments=[task["id"], "http://127.0.0.1:9/hook", "--id", "hook"])
    ours.one("push", "delete", arguments=[task["id"], "hook"])
    listed = ours.one("push", "list", arguments=[task["id"]])
    assert not listed.get("configs"), listed
    ours.one("cancel", arguments=[task["id"]])


def push_delivery(ours):
    """The webhook hears how the task ends, with the token of the registration."""
    calls = Queue()

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            calls.put((self.headers["x-a2a-notification-token"], body.decode()))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    Thread(target=server.serve_forever, daemon=True).start()
    task = ours.held()
    with tempfile.NamedTemporaryFile("w") as token:
        token.write("secret-of-the-task")
        token.flush()
        hook = f"http://127.0.0.1:{server.server_port}/hook"
        ours.one("push", "create", arguments=[task["id"], hook, "--token-file", token.name])
    ours.one("cancel", arguments=[task["id"]])
    heard, body = calls.get(timeout=TIMEOUT)
    server.shutdown()
    assert task["id"] in body, body
    assert heard == "secret-of-the-task", heard


def unknown_task(ours):
    refused("TASK_NOT_FOUND", ours.task, "echo", "--task", NO_TASK)


CHECKS = [
    card,
    send_message,
    send_task,
    send_data,
    send_file,
    file_name,
    follow_up,
    send_failing,
    send_at_once,
    stream,
    stream_chunks,
    stream_message,
    stream_refused,
    get,
    get_unknown,
    list_tasks,
    cancel,
    cancel_finished,
    cancel_unknown,
    subscribe,
    subscribe_finished,
    push,
    push_delete,
    push_delivery,
    unknown_task,
]


def main(program: str, url: str, binding: str, version: str):
    ours = Ours(program, url, binding, version)
    for check in CHECKS:
        try:
            check(ours)
        except Absent as why:
            row = "-", str(why)
        except Exception as error:  # every check is reported, whatever it fails by
            row = "FAILED", f"{type(error).__name__}: {error}"
        else:
            row = "ok", ""
        print(check.__name__, *(" ".join(cell.split()) for cell in row), sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
