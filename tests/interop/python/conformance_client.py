"""The official Python SDK against the conformance agent, over one interface of its card.

Usage: conformance_client.py URL BINDING VERSION
Prints a line for each operation: its name, "ok", "FAILED" or "-" (the version has no such operation), and
what was seen, with tabs between them.
"""

import asyncio
import sys
import uuid
from contextlib import aclosing

import grpc
import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import A2ACardResolver
from a2a.client.errors import A2AClientError
from a2a.helpers.proto_helpers import get_data_parts
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import (
    A2AError,
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

from rows import Absent, print_rows
from webhook import Webhook

NO_TASK = "11111111-2222-4333-8444-555555555555"
HOOK = "http://127.0.0.1:9/hook"


class Peer:
    """A client of the SDK that calls the agent over one interface."""

    def __init__(self, card, binding: str, version: str):
        def channel(url: str):
            return grpc.aio.insecure_channel(url.removeprefix("http://"))

        self.card = card
        self.binding = binding
        self.version = version
        [interface] = [
            interface
            for interface in card.supported_interfaces
            if (interface.protocol_binding, interface.protocol_version) == (binding, version)
        ]
        card_of_one = type(card)()
        card_of_one.CopyFrom(card)
        del card_of_one.supported_interfaces[:]
        card_of_one.supported_interfaces.append(interface)

        def client(streaming: bool):
            config = ClientConfig(
                streaming=streaming,
                supported_protocol_bindings=[binding],
                grpc_channel_factory=channel,
            )
            return ClientFactory(config).create(card_of_one)

        self.client = client(streaming=True)
        self.plain = client(streaming=False)

    async def send(self, selects: str, **rest):
        """The one answer to a message, without a stream."""
        events = [event async for event in self.plain.send_message(request(selects, **rest))]
        assert len(events) == 1, events
        return events[0]

    async def task(self, selects: str, **rest):
        answer = await self.send(selects, **rest)
        assert answer.HasField("task"), answer
        return answer.task

    async def held(self):
        """A task that works until it is ended."""
        task = await self.task("tck-cancel", at_once=True)
        assert task.status.state in (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING), task
        return task


def request(selects: str, *, parts=None, task="", context="", at_once=False, history=None, push=None):
    message = Message(
        message_id=f"{selects}-{uuid.uuid4()}",
        role=Role.ROLE_USER,
        parts=[Part(text="Zürich 🚗")] if parts is None else parts,
        task_id=task,
        context_id=context,
    )
    configuration = SendMessageConfiguration(
        return_immediately=at_once, history_length=history, task_push_notification_config=push
    )
    return SendMessageRequest(message=message, configuration=configuration)


async def refused(call, *errors):
    """Asserts that a call is refused with one of these errors."""
    try:
        answer = await call
    except errors as error:
        assert str(error), "a refusal says why"
    except A2AError as error:
        raise AssertionError(f"another error: {error!r}") from error
    else:
        raise AssertionError(f"answered: {answer}")


async def every(stream):
    return [event async for event in stream]


async def card(peer):
    assert peer.card.name == "Conformance agent"
    assert [skill.id for skill in peer.card.skills] == ["script"]


async def send_message(peer):
    answer = await peer.send("tck-message-response")
    assert answer.message.role == Role.ROLE_AGENT
    assert answer.message.parts[0].text == "Direct message response"


async def send_task(peer):
    task = await peer.task("tck-complete-task")
    assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
    assert task.status.message.parts[0].text == "Hello from TCK"
    assert task.id and task.context_id


async def send_parts(peer):
    """Every kind of part arrives, and comes back in the history as it was sent."""
    parts = [
        Part(text="Čeština & <b> 🚗"),
        Part(raw=b"\x00\xff\x10", filename="a.bin", media_type="application/octet-stream"),
        Part(url="https://example.com/a.pdf", filename="a.pdf", media_type="application/pdf"),
        Part(media_type="application/json"),
    ]
    parts[3].data.struct_value.update({"stock": 0, "used": False, "note": "", "none": None, "list": [1, 2.5]})
    sent = await peer.task("tck-complete-task", parts=parts)
    task = await peer.client.get_task(GetTaskRequest(id=sent.id))
    back = task.history[0].parts
    assert [part.WhichOneof("content") for part in back] == ["text", "raw", "url", "data"], back
    assert back[0].text == parts[0].text
    assert (back[1].raw, back[1].filename, back[1].media_type) == (b"\x00\xff\x10", "a.bin", "application/octet-stream")
    assert (back[2].url, back[2].filename) == (parts[2].url, "a.pdf")
    assert get_data_parts(back) == [{"stock": 0, "used": False, "note": "", "none": None, "list": [1, 2.5]}]


async def artifacts(peer):
    text = await peer.task("tck-artifact-text")
    assert text.artifacts[0].parts[0].text == "Generated text content"
    url = (await peer.task("tck-artifact-file-url")).artifacts[0].parts[0]
    assert url.url == "https://example.com/output.txt"
    data = (await peer.task("tck-artifact-data")).artifacts[0]
    assert get_data_parts(data.parts) == [{"key": "value", "count": 42}]


async def artifact_file(peer):
    [file] = (await peer.task("tck-artifact-file")).artifacts[0].parts
    assert (file.raw, file.filename, file.media_type) == (b"tck", "output.txt", "text/plain")


async def follow_up(peer):
    asked = await peer.task("tck-input-required")
    assert asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    done = await peer.task("tck-complete-task", task=asked.id, context=asked.context_id)
    assert (done.id, done.context_id) == (asked.id, asked.context_id)
    assert done.status.state == TaskState.TASK_STATE_COMPLETED
    whole = await peer.client.get_task(GetTaskRequest(id=asked.id))
    users = [message for message in whole.history if message.role == Role.ROLE_USER]
    assert len(users) == 2, whole.history


async def states(peer):
    failed = await peer.task("tck-task-failure")
    assert failed.status.state == TaskState.TASK_STATE_FAILED
    rejected = await peer.task("tck-reject-task")
    assert rejected.status.state == TaskState.TASK_STATE_REJECTED
    waits = await peer.task("tck-auth-required")
    assert waits.status.state == TaskState.TASK_STATE_AUTH_REQUIRED


async def send_at_once(peer):
    task = await peer.held()
    await peer.client.cancel_task(CancelTaskRequest(id=task.id))


async def stream(peer):
    events = await every(peer.client.send_message(request("tck-stream-basic")))
    kinds = [event.WhichOneof("payload") for event in events]
    assert kinds[0] == "task" and kinds[-1] == "status_update", kinds
    assert "artifact_update" in kinds, kinds
    assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED


async def stream_chunks(peer):
    events = await every(peer.client.send_message(request("tck-stream-chunked")))
    chunks = [event.artifact_update for event in events if event.HasField("artifact_update")]
    assert [(c.artifact.parts[0].text, c.append, c.last_chunk) for c in chunks] == [
        ("chunk-1 ", chunks[0].append, False),
        ("chunk-2", True, True),
    ], chunks
    task = await peer.client.get_task(GetTaskRequest(id=events[0].task.id))
    assert [part.text for part in task.artifacts[0].parts] == ["chunk-1 ", "chunk-2"], task.artifacts


async def stream_message(peer):
    events = await every(peer.client.send_message(request("tck-message-response")))
    assert [event.WhichOneof("payload") for event in events] == ["message"], events


async def stream_refused(peer):
    await refused(every(peer.client.send_message(request("tck-stream-basic", task=NO_TASK))), TaskNotFoundError)


async def get(peer):
    sent = await peer.task("tck-complete-task")
    task = await peer.client.get_task(GetTaskRequest(id=sent.id))
    assert (task.id, task.context_id) == (sent.id, sent.context_id)
    assert task.history[0].parts[0].text == "Zürich 🚗"
    one = await peer.client.get_task(GetTaskRequest(id=sent.id, history_length=1))
    assert len(one.history) <= 1


async def get_unknown(peer):
    await refused(peer.client.get_task(GetTaskRequest(id=NO_TASK)), TaskNotFoundError)


async def list_tasks(peer):
    if peer.version == "0.3":
        raise Absent("A2A 0.3 lists no tasks")
    first = await peer.task("tck-artifact-text")
    second = await peer.task("tck-complete-task", context=first.context_id)
    whole = await peer.client.list_tasks(ListTasksRequest(context_id=first.context_id))
    assert [task.id for task in whole.tasks] == [second.id, first.id], whole
    assert (whole.total_size, whole.next_page_token) == (2, "")
    assert not whole.tasks[1].artifacts
    page = await peer.client.list_tasks(
        ListTasksRequest(context_id=first.context_id, page_size=1, include_artifacts=True)
    )
    rest = await peer.client.list_tasks(
        ListTasksRequest(
            context_id=first.context_id,
            page_size=1,
            page_token=page.next_page_token,
            include_artifacts=True,
        )
    )
    assert [page.tasks[0].id, rest.tasks[0].id] == [second.id, first.id]
    assert rest.tasks[0].artifacts and not rest.next_page_token
    none = await peer.client.list_tasks(
        ListTasksRequest(context_id=first.context_id, status=TaskState.TASK_STATE_FAILED)
    )
    assert not none.tasks


async def cancel(peer):
    task = await peer.held()
    canceled = await peer.client.cancel_task(CancelTaskRequest(id=task.id))
    assert canceled.status.state == TaskState.TASK_STATE_CANCELED
    done = await peer.task("tck-complete-task")
    await refused(peer.client.cancel_task(CancelTaskRequest(id=done.id)), TaskNotCancelableError)
    await refused(peer.client.cancel_task(CancelTaskRequest(id=NO_TASK)), TaskNotFoundError)


async def subscribe(peer):
    task = await peer.held()
    events = []
    async with aclosing(peer.client.subscribe(SubscribeToTaskRequest(id=task.id))) as stream:
        async for event in stream:
            if not events:
                await peer.client.cancel_task(CancelTaskRequest(id=task.id))
            events.append(event)
    assert events[0].task.id == task.id, events
    assert events[-1].status_update.status.state == TaskState.TASK_STATE_CANCELED, events


async def subscribe_finished(peer):
    done = await peer.task("tck-complete-task")
    subscribed = every(peer.client.subscribe(SubscribeToTaskRequest(id=done.id)))
    await refused(subscribed, UnsupportedOperationError)
    unknown = every(peer.client.subscribe(SubscribeToTaskRequest(id=NO_TASK)))
    await refused(unknown, TaskNotFoundError)


async def push(peer):
    task = await peer.held()
    created = await registered(peer, task)
    assert (created.task_id, created.id, created.url) == (task.id, "hook", HOOK), created
    by_id = GetTaskPushNotificationConfigRequest(task_id=task.id, id="hook")
    found = await peer.client.get_task_push_notification_config(by_id)
    assert (found.id, found.url) == ("hook", HOOK), found
    other = GetTaskPushNotificationConfigRequest(task_id=task.id, id="other")
    await refused(peer.client.get_task_push_notification_config(other), TaskNotFoundError)
    await peer.client.cancel_task(CancelTaskRequest(id=task.id))


async def push_list_delete(peer):
    task = await peer.held()
    await registered(peer, task)
    by_task = ListTaskPushNotificationConfigsRequest(task_id=task.id)
    listed = await peer.client.list_task_push_notification_configs(by_task)
    assert [config.id for config in listed.configs] == ["hook"], listed
    drop = DeleteTaskPushNotificationConfigRequest(task_id=task.id, id="hook")
    await peer.client.delete_task_push_notification_config(drop)
    listed = await peer.client.list_task_push_notification_configs(by_task)
    assert not listed.configs, listed
    await peer.client.cancel_task(CancelTaskRequest(id=task.id))


async def registered(peer, task):
    config = TaskPushNotificationConfig(task_id=task.id, id="hook", url=HOOK, token="t")
    return await peer.client.create_task_push_notification_config(config)


async def push_delivery(peer):
    """A webhook named with the message hears how the task goes on, in the form of its version."""
    async with Webhook() as webhook:
        config = TaskPushNotificationConfig(url=webhook.url, token="secret-of-the-task")
        task = await peer.task("tck-stream-basic", push=config)
        call = await webhook.until(lambda call: "ompleted" in call.text or "COMPLETED" in call.text)
        assert call.headers["x-a2a-notification-token"] == "secret-of-the-task", call.headers
        assert task.id in call.text
        assert ("kind" in call.body) == (peer.version == "0.3"), call.body


async def invalid(peer):
    """A message without parts, which the SDK lets through."""
    await refused(peer.send("tck-complete-task", parts=[]), InvalidParamsError, A2AClientError)


async def unknown_task(peer):
    await refused(peer.send("tck-complete-task", task=NO_TASK), TaskNotFoundError)


async def finished_task(peer):
    done = await peer.task("tck-complete-task")
    await refused(peer.send("tck-complete-task", task=done.id), UnsupportedOperationError)


async def concurrent(peer):
    answers = await asyncio.gather(*(peer.task("tck-complete-task") for _ in range(32)))
    assert len({task.id for task in answers}) == 32


CHECKS = [
    card,
    send_message,
    send_task,
    send_parts,
    artifacts,
    artifact_file,
    follow_up,
    states,
    send_at_once,
    stream,
    stream_chunks,
    stream_message,
    stream_refused,
    get,
    get_unknown,
    list_tasks,
    cancel,
    subscribe,
    subscribe_finished,
    push,
    push_list_delete,
    push_delivery,
    invalid,
    unknown_task,
    finished_task,
    concurrent,
]


async def main(url: str, binding: str, version: str):
    async with httpx.AsyncClient() as http:
        resolved = await A2ACardResolver(http, url).get_agent_card()
    peer = Peer(resolved, binding, version)
    await print_rows(CHECKS, peer)
    await peer.client.close()
    await peer.plain.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
