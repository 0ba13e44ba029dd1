"""The official Python SDK asks an analyst a question, over every interface of its card.

Usage: analyst_client.py URL QUESTION FILE
URL is the analyst's base. Prints a line of JSON for each interface and for each way to ask there, whole and as a
stream: what asked, and the text that it got.
"""

import asyncio
import json
import sys
import uuid
from pathlib import Path

import grpc
import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import A2ACardResolver
from a2a.types.a2a_pb2 import Message, Part, Role, SendMessageRequest, TaskState


def request(question: str, file: Path) -> SendMessageRequest:
    return SendMessageRequest(
        message=Message(
            message_id=str(uuid.uuid4()),
            role=Role.ROLE_USER,
            parts=[
                Part(text=question),
                Part(raw=file.read_bytes(), filename=file.name, media_type="text/csv"),
            ],
        )
    )


async def answer(client, message: SendMessageRequest) -> str:
    """The text of the answer, whole or put together from a stream."""
    artifacts, state = [], None
    async for event in client.send_message(message):
        kind = event.WhichOneof("payload")
        if kind == "task":
            artifacts, state = list(event.task.artifacts), event.task.status.state
        elif kind == "artifact_update":
            artifacts.append(event.artifact_update.artifact)
        elif kind == "status_update":
            state = event.status_update.status.state
    assert state == TaskState.TASK_STATE_COMPLETED, state
    return artifacts[0].parts[0].text


async def main(url: str, question: str, file: Path):
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        for interface in card.supported_interfaces:
            one = type(card)()
            one.CopyFrom(card)
            del one.supported_interfaces[:]
            one.supported_interfaces.append(interface)
            for streaming in (False, True):
                config = ClientConfig(
                    streaming=streaming,
                    httpx_client=http,
                    supported_protocol_bindings=[interface.protocol_binding],
                    grpc_channel_factory=lambda url: grpc.aio.insecure_channel(url.removeprefix("http://")),
                )
                client = ClientFactory(config).create(one)
                text = await answer(client, request(question, file))
                way = "stream" if streaming else "whole"
                by = f"SDK 1.0, {interface.protocol_binding} {interface.protocol_version}, {way}"
                print(json.dumps({"by": by, "text": text}))


asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
