"""The Python SDK's last release of A2A 0.3 against the conformance agent, over one interface of its card.

Usage: conformance_client_03.py URL BINDING 0.3
Prints what conformance_client.py prints.
"""

import asyncio
import sys
import uuid

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import (
    DataPart,
    FilePart,
    FileWithUri,
    GetTaskPushNotificationConfigParams,
    Message,
    PushNotificationConfig,
    Role,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TaskState,
    TextPart,
)

from rows import print_rows
from webhook import Webhook

NO_TASK = "11111111-2222-4333-8444-555555555555"


class Peer:
    """A client of the SDK that calls the agent over one interface."""

    def __init__(self, card, binding: str):
        def channel(url: str):
            return grpc.aio.insecure_channel(url.removeprefix("http://"))

        def client(**rest):
            config = ClientConfig(
                supported_transports=[binding],
                use_client_preference=True,
                httpx_client=httpx.AsyncClient(),
                grpc_channel_factory=channel,
                **rest,
            )
            return ClientFactory(config).create(card)

        self.card = card
        self.binding = binding
        self.client = client()
        self.plain = client(streaming=False)
        self.polling = client(streaming=False, polling=True)
        self.with_webhook = lambda webhook: client(streaming=False, push_notification_configs=[webhook])

    async def task(self, selects: str, **rest):
        """The task that is the one answer to a message, without a stream."""
        [(task, _)] = await every(self.plain.send_message(message(selects, **rest)))
        return task

    async def held(self):
        """A task that works until it is ended."""
        [(task, _)] = await every(self.polling.send_message(message("tck-cancel")))
        assert task.status.state in (TaskState.submitted, TaskState.working), task
        return task


def message(selects: str, *, parts=None, task=None, context=None):
    return Message(
        message_id=f"{selects}-{uuid.uuid4()}",
        role=Role.user,
        parts=parts or [TextPart(text="Zürich 🚗")],
        task_id=task,
        context_id=context,
    )


async def every(stream):
    return [event async for event in stream]


async def refused(call, code: int, status: int, rpc: grpc.StatusCode):
    """Asserts that a call is refused, by the code that the binding has."""
    try:
        answer = await call
    except A2AClientJSONRPCError as error:
        assert error.error.code == code, error
    except A2AClientHTTPError as error:
        assert error.status_code == status, error
    except grpc.aio.AioRpcError as error:
        assert error.code() == rpc, error
    else:
        raise AssertionError(f"answered: {answer}")


def not_found(call):
    return refused(call, -32001, 404, grpc.StatusCode.NOT_FOUND)


async def card(peer):
    assert peer.card.name == "Conformance agent"
    assert [skill.id for skill in peer.card.skills] == ["script"]


async def send_message(peer):
    [answer] = await every(peer.plain.send_message(message("tck-message-response")))
    assert isinstance(answer, Message), answer
    assert answer.parts[0].root.text == "Direct message response"


async def send_task(peer):
    task = await peer.task("tck-complete-task")
    assert task.status.state == TaskState.completed, task
    assert task.status.message.parts[0].root.text == "Hello from TCK"


async def send_parts(peer):
    data = {"stock": 0, "used": False, "note": "", "list": [1, 2.5]}
    file = FileWithUri(uri="https://example.com/a.pdf", name="a.pdf", mime_type="application/pdf")
    parts = [TextPart(text="Čeština & <b> 🚗"), FilePart(file=file), DataPart(data=data)]
    sent = await peer.task("tck-complete-task", parts=parts)
    task = await peer.client.get_task(TaskQueryParams(id=sent.id))
    text, url, back = [part.root for part in task.history[0].parts]
    assert text.text == "Čeština & <b> 🚗"
    assert (url.file.uri, url.file.name, url.file.mime_type) == (file.uri, "a.pdf", "application/pdf")
    assert back.data == data


async def artifacts(peer):
    text = await peer.task("tck-artifact-text")
    assert text.artifacts[0].parts[0].root.text == "Generated text content"
    data = await peer.task("tck-artifact-data")
    assert data.artifacts[0].parts[0].root.data == {"key": "value", "count": 42}


async def artifact_file(peer):
    task = await peer.task("tck-artifact-file")
    file = task.artifacts[0].parts[0].root.file
    # Base64 of "tck".
    assert (file.bytes, file.name, file.mime_type) == ("dGNr", "output.txt", "text/plain"), file


async def follow_up(peer):
    asked = await peer.task("tck-input-required")
    assert asked.status.state == TaskState.input_required
    done = await peer.task("tck-complete-task", task=asked.id, context=asked.context_id)
    assert (done.id, done.status.state) == (asked.id, TaskState.completed)


async def states(peer):
    assert (await peer.task("tck-task-failure")).status.state == TaskState.failed
    assert (await peer.task("tck-reject-task")).status.state == TaskState.rejected
    assert (await peer.task("tck-auth-required")).status.state == TaskState.auth_required


async def stream(peer):
    events = await every(peer.client.send_message(message("tck-stream-basic")))
    kinds = [update.kind if update else "task" for _, update in events]
    assert kinds[0] == "task" and kinds[-1] == "status-update", kinds
    assert "artifact-update" in kinds, kinds
    task, last = events[-1]
    assert last.final and task.status.state == TaskState.completed, last
    assert task.artifacts[0].parts[0].root.text == "Streamed content"


async def stream_chunks(peer):
    events = await every(peer.client.send_message(message("tck-stream-chunked")))
    task, _ = events[-1]
    assert [part.root.text for part in task.artifacts[0].parts] == ["chunk-1 ", "chunk-2"], task


async def stream_message(peer):
    [answer] = await every(peer.client.send_message(message("tck-message-response")))
    assert isinstance(answer, Message), answer


async def get(peer):
    sent = await peer.task("tck-complete-task")
    task = await peer.client.get_task(TaskQueryParams(id=sent.id))
    assert (task.id, task.context_id) == (sent.id, sent.context_id)
    assert task.history[0].parts[0].root.text == "Zürich 🚗"


async def get_unknown(peer):
    await not_found(peer.client.get_task(TaskQueryParams(id=NO_TASK)))


async def cancel(peer):
    task = await peer.held()
    canceled = await peer.client.cancel_task(TaskIdParams(id=task.id))
    assert canceled.status.state == TaskState.canceled
    done = await peer.task("tck-complete-task")
    again = peer.client.cancel_task(TaskIdParams(id=done.id))
    await refused(again, -32002, 400, grpc.StatusCode.FAILED_PRECONDITION)


async def subscribe(peer):
    task = await peer.held()
    seen = []
    async for now, _ in peer.client.resubscribe(TaskIdParams(id=task.id)):
        if not seen:
            await peer.client.cancel_task(TaskIdParams(id=task.id))
        seen.append(now.status.state)
    assert seen[-1] == TaskState.canceled, seen


async def push(peer):
    task = await peer.held()
    webhook = PushNotificationConfig(id="hook", url="http://127.0.0.1:9/hook", token="t")
    config = TaskPushNotificationConfig(task_id=task.id, push_notification_config=webhook)
    created = await peer.client.set_task_callback(config)
    assert created.push_notification_config.id == "hook", created
    by_id = GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id="hook")
    found = await peer.client.get_task_callback(by_id)
    assert (found.task_id, found.push_notification_config.url) == (task.id, webhook.url), found
    await peer.client.cancel_task(TaskIdParams(id=task.id))


async def push_delivery(peer):
    """A webhook named with the message hears how the task goes on, in the form of 0.3."""
    async with Webhook() as webhook:
        config = PushNotificationConfig(url=webhook.url, token="secret-of-the-task")
        client = peer.with_webhook(config)
        [(task, _)] = await every(client.send_message(message("tck-stream-basic")))
        call = await webhook.until(lambda call: "completed" in call.text)
    assert call.headers["x-a2a-notification-token"] == "secret-of-the-task", call.headers
    assert (call.body["kind"], call.body["id"]) == ("task", task.id), call.body


async def unknown_task(peer):
    await not_found(peer.task("tck-complete-task", task=NO_TASK))


async def finished_task(peer):
    done = await peer.task("tck-complete-task")
    again = peer.task("tck-complete-task", task=done.id)
    await refused(again, -32004, 400, grpc.StatusCode.UNIMPLEMENTED)


CHECKS = [
    card,
    send_message,
    send_task,
    send_parts,
    artifacts,
    artifact_file,
    follow_up,
    states,
    stream,
    stream_chunks,
    stream_message,
    get,
    get_unknown,
    cancel,
    subscribe,
    push,
    push_delivery,
    unknown_task,
    finished_task,
]


async def main(url: str, binding: str, version: str):
    assert version == "0.3", version
    async with httpx.AsyncClient() as http:
        resolved = await A2ACardResolver(http, url).get_agent_card()
    await print_rows(CHECKS, Peer(resolved, binding))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
