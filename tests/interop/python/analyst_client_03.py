"""The Python SDK's last release of A2A 0.3 asks an analyst a question, over every binding of its card.

Usage: analyst_client_03.py URL QUESTION FILE
Prints what analyst_client.py prints.
"""

import asyncio
import base64
import json
import sys
import uuid
from pathlib import Path

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import FilePart, FileWithBytes, Message, Role, TaskState, TextPart

BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"]


def message(question: str, file: Path) -> Message:
    content = base64.b64encode(file.read_bytes()).decode()
    return Message(
        message_id=str(uuid.uuid4()),
        role=Role.user,
        parts=[
            TextPart(text=question),
            FilePart(file=FileWithBytes(name=file.name, mime_type="text/csv", bytes=content)),
        ],
    )


async def main(url: str, question: str, file: Path):
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        for binding in BINDINGS:
            for streaming in (False, True):
                config = ClientConfig(
                    streaming=streaming,
                    supported_transports=[binding],
                    use_client_preference=True,
                    httpx_client=http,
                    grpc_channel_factory=lambda url: grpc.aio.insecure_channel(url.removeprefix("http://")),
                )
                client = ClientFactory(config).create(card)
                # The SDK puts the task together from the events.
                events = [event async for event in client.send_message(message(question, file))]
                task, _ = events[-1]
                assert task.status.state == TaskState.completed, task.status
                way = "stream" if streaming else "whole"
                text = task.artifacts[0].parts[0].root.text
                print(json.dumps({"by": f"SDK 0.3, {binding} 0.3, {way}", "text": text}))


asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
