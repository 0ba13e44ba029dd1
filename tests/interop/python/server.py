"""An agent served with the official Python SDK over its three bindings, in A2A 1.0 and 0.3.

Usage: server.py
Prints "listening on URL" and serves until it is stopped. The first word of a message selects what happens:
"message" answers directly, "echo" completes a task whose artifact has the message's parts, "chunks" streams
an artifact in two, "ask" asks for more and then completes, "fail" fails, "hold" works until it is canceled.
"""

import asyncio
import logging
import socket

import grpc
import httpx
import uvicorn
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types import a2a_pb2_grpc
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette


class Agent(AgentExecutor):
    """Does what the first word of a message says."""

    async def execute(self, context: RequestContext, event_queue: EventQueue):
        word = context.get_user_input().split(" ")[0]
        if word == "message":
            await event_queue.enqueue_event(new_text_message("Direct answer", context_id=context.context_id))
            return
        asked = context.current_task is not None
        if not asked:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        if word == "echo":
            await updater.add_artifact(list(context.message.parts), artifact_id="echo")
        elif word == "chunks":
            await updater.add_artifact([new_text_part("one ")], artifact_id="chunks")
            await updater.add_artifact([new_text_part("two")], artifact_id="chunks", append=True, last_chunk=True)
        elif word == "fail":
            await updater.failed()
            return
        elif word == "hold":
            await asyncio.Event().wait()
        elif word == "ask" and not asked:
            await updater.requires_input(updater.new_agent_message([new_text_part("What else?")]))
            return
        await updater.complete(updater.new_agent_message([new_text_part("Done")]))

    async def cancel(self, context: RequestContext, event_queue: EventQueue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def agent_card(http: str, rpc: str) -> AgentCard:
    interfaces = [
        AgentInterface(url=url, protocol_binding=binding, protocol_version=version)
        for version in ("1.0", "0.3")
        for binding, url in (("JSONRPC", f"{http}/rpc"), ("HTTP+JSON", http), ("GRPC", rpc))
    ]
    return AgentCard(
        name="Foreign agent",
        description="Does what the first word of a message says.",
        version="1.0.0",
        supported_interfaces=interfaces,
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="words", name="Words", description="Follows a word.", tags=["test"])],
    )


async def main():
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    rpc = grpc.aio.server()
    port = rpc.add_insecure_port("127.0.0.1:0")
    card = agent_card(url, f"127.0.0.1:{port}")
    configs = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Agent(),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        push_config_store=configs,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), configs),
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), rpc)
    a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), rpc)
    await rpc.start()
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, rpc_url="/rpc", enable_v0_3_compat=True),
        *create_rest_routes(handler, enable_v0_3_compat=True),
    ]
    print(f"listening on {url}", flush=True)
    await uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="warning")).serve([listener])


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main())
