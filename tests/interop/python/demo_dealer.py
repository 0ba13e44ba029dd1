"""The official Python SDK against a dealer: discover it, then call every skill.

Usage: demo_dealer.py URL [SKILL...]
URL is the dealer's base, or the folder of its preview. The dealer must serve the named skills and refuse
the others; without a name it must serve all five.
Ends with a line "N passed, M failed", or with the error where no such dealer is discovered; exits 1 when
anything failed.
"""

import asyncio
import sys
import uuid
from datetime import UTC, datetime
from functools import partial

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import A2ACardResolver
from a2a.client.client import ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.helpers.proto_helpers import get_data_parts, new_data_part
from a2a.types.a2a_pb2 import GetTaskRequest, Message, Role, SendMessageConfiguration, SendMessageRequest
from a2a.utils.errors import (
    A2AError,
    ExtensionSupportRequiredError,
    InvalidParamsError,
    MethodNotFoundError,
    UnsupportedOperationError,
)

RELEASED = "https://autoagentprotocol.org/extensions/aap/v1.3"
DRAFT = "https://draft.autoagentprotocol.invalid/extensions/aap/latest"
# The error that refuses a skill.
UNSERVED = {RELEASED: MethodNotFoundError, DRAFT: UnsupportedOperationError}
STEMS = {"inventory.vehicle": "vehicle-detail"}


def media_type(skill: str, role: str) -> str:
    stem = STEMS.get(skill, skill.replace(".", "-"))
    return f"application/vnd.autoagent.{stem}-{role}+json"


class Buyer:
    """A buyer's agent made of nothing but the SDK."""

    def __init__(self, client, extension: str):
        self.client = client
        self.extension = extension
        self.context = ClientCallContext(
            service_parameters=ServiceParametersFactory.create([with_a2a_extensions([extension])])
        )

    async def call(self, skill: str, **fields):
        message = Message(
            message_id=str(uuid.uuid4()),
            role=Role.ROLE_USER,
            parts=[
                new_data_part(
                    {"type": f"{skill}.request", **fields},
                    media_type=media_type(skill, "request"),
                )
            ],
        )
        request = SendMessageRequest(
            message=message,
            configuration=SendMessageConfiguration(
                accepted_output_modes=[media_type(skill, "response")]
            ),
        )
        async for event in self.client.send_message(request, context=self.context):
            assert event.HasField("message"), "the answer is not a message"
            reply = event.message
            assert reply.role == Role.ROLE_AGENT
            assert reply.message_id not in ("", message.message_id)
            assert reply.context_id
            assert reply.parts[0].media_type == media_type(skill, "response")
            payload = get_data_parts(reply.parts)[0]
            assert payload["type"] == f"{skill}.response", payload
            return payload["data"]
        raise AssertionError("no answer")


async def dealer_information(buyer: Buyer):
    data = await buyer.call("dealer.information")
    assert data["name"] == "Demo Motors"
    assert len(data["rooftops"]) == 2


async def inventory_facets(buyer: Buyer):
    data = await buyer.call("inventory.facets", filters={"vehicle_type": ["motorcycle"]})
    assert {entry["value"] for entry in data["vehicle_types"]} == {"motorcycle"}
    whole = await buyer.call("inventory.facets")
    assert sum(entry["count"] for entry in whole["statuses"]) == 240


async def inventory_search(buyer: Buyer):
    data = await buyer.call(
        "inventory.search",
        filters={"make": ["Honda"], "price_max": 30000},
        sort={"field": "price", "order": "asc"},
        pagination={"skip": 0, "limit": 5},
    )
    prices = [vehicle["price"] for vehicle in data["vehicles"]]
    assert prices and prices == sorted(prices) and prices[-1] <= 30000
    assert data["total"] >= len(prices) and data["limit"] == 5


async def unknown_filter(buyer: Buyer):
    error = await refusal(buyer.call("inventory.search", filters={"colour": ["red"]}))
    assert isinstance(error, InvalidParamsError), repr(error)
    assert error.message, "a refusal says why"


async def inventory_vehicle(buyer: Buyer):
    found = await buyer.call("inventory.search", pagination={"limit": 1}, filters={"condition": ["used"], "vehicle_type": ["car"]})
    vin = found["vehicles"][0]["vin"]
    data = await buyer.call("inventory.vehicle", vin=vin)
    assert data["vin"] == vin and data["status"] in ("available", "intransit", "pending")


async def lead_submit(buyer: Buyer):
    lead = {
        "customer": {"first_name": "Interop", "last_name": "Buyer", "email": "buyer@example.com", "preferred_contact": "email"},
        "consent": {
            "granted_at": datetime.now(UTC).isoformat(),
            "allowed_channels": ["email"],
            "consent_text": "I agree that Demo Motors answers my question by email.",
            "scope": ["lead_submission"],
        },
        "appointment": {"appointment_type": "sales", "duration_minutes": 30},
        "message": "Is the showroom open on Saturdays?",
        "source_agent": {"name": "python-sdk-interop"},
        "idempotency_key": str(uuid.uuid4()),
    }
    first = await buyer.call("lead.submit", **lead)
    assert first["status"] == "received" and first["appointment"]["status"] == "requested"
    again = await buyer.call("lead.submit", **lead)
    assert again == first, "a repeat under the same key gets the first answer"


async def unserved_skill(skill: str, buyer: Buyer):
    error = await refusal(buyer.call(skill))
    assert isinstance(error, UNSERVED[buyer.extension]), repr(error)
    assert f"{skill}.request" in error.message
    if buyer.extension == DRAFT:  # the SDK drops what the released version says beyond the message
        assert error.data["code"] == "UNSUPPORTED_SKILL", error.data


async def undeclared_operation(buyer: Buyer):
    error = await refusal(buyer.client.get_task(GetTaskRequest(id="none")))
    assert isinstance(error, UnsupportedOperationError), repr(error)


async def unnamed_extension(buyer: Buyer):
    stranger = Buyer(buyer.client, "urn:another-extension")
    if buyer.extension == DRAFT:
        error = await refusal(stranger.call("dealer.information"))
        assert isinstance(error, ExtensionSupportRequiredError), repr(error)
        assert DRAFT in error.message
    else:
        await stranger.call("dealer.information")


async def refusal(call) -> A2AError:
    """The error by which a call is refused; an answer is a failure."""
    try:
        await call
    except A2AError as error:
        return error
    raise AssertionError("the call was answered")


CHECKS = {
    "dealer.information": [dealer_information],
    "inventory.facets": [inventory_facets],
    "inventory.search": [inventory_search, unknown_filter],
    "inventory.vehicle": [inventory_vehicle],
    "lead.submit": [lead_submit],
}


def checks_for(served: list[str]):
    """Every check with its name, for a dealer that must serve exactly these skills."""
    for skill, checks in CHECKS.items():
        if skill in served:
            yield from ((check.__name__, check) for check in checks)
        else:
            yield f"unserved_skill {skill}", partial(unserved_skill, skill)
    yield "undeclared_operation", undeclared_operation
    yield "unnamed_extension", unnamed_extension


async def main(url: str, *skills: str) -> int:
    served = list(skills or CHECKS)
    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, url).get_agent_card()
    [extension] = [extension.uri for extension in card.capabilities.extensions]
    assert extension in UNSERVED, extension
    assert sorted(skill.id for skill in card.skills) == sorted(served)
    print(f"discovered {card.name} with {len(card.skills)} skills, {extension}")
    failed = passed = 0
    async with ClientFactory(ClientConfig(streaming=False)).create(card) as client:
        buyer = Buyer(client, extension)
        for name, check in checks_for(served):
            try:
                await check(buyer)
            except Exception as error:  # every check is reported, whatever it fails by
                failed += 1
                print(f"FAILED {name}: {type(error).__name__}: {error}")
            else:
                passed += 1
                print(f"ok {name}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
