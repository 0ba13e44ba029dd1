/**
 * The official JavaScript SDK against a dealer: discover it, then call every skill.
 *
 * Usage: demo_dealer.js URL [SKILL...]
 * URL is the dealer's base, or the folder of its preview, and ends with a slash. The dealer must serve the
 * named skills and refuse the others; without a name it must serve all five.
 * Ends with a line "N passed, M failed", or with the error where no such dealer is discovered; exits 1 when
 * anything failed.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { Role, SendMessageRequest } from "@a2a-js/sdk";
import { ClientFactory, DefaultAgentCardResolver, ServiceParameters, withA2AExtensions } from "@a2a-js/sdk/client";
import { A2A_ERROR_CODE, A2AError, UnsupportedOperationError } from "@a2a-js/sdk/errors";

const RELEASED = "https://autoagentprotocol.org/extensions/aap/v1.3";
const DRAFT = "https://draft.autoagentprotocol.invalid/extensions/aap/latest";
/** The code that refuses a skill. */
const UNSERVED = {
  [RELEASED]: A2A_ERROR_CODE.METHOD_NOT_FOUND,
  [DRAFT]: A2A_ERROR_CODE.UNSUPPORTED_OPERATION,
};
const AAP_ERROR = "https://autoagentprotocol.org/extensions/aap/error";
const STEMS = { "inventory.vehicle": "vehicle-detail" };

function mediaType(skill, role) {
  const stem = STEMS[skill] ?? skill.replace(".", "-");
  return `application/vnd.autoagent.${stem}-${role}+json`;
}

/** A buyer's agent made of nothing but the SDK. */
class Buyer {
  constructor(client, extension) {
    this.client = client;
    this.extension = extension;
    this.options = { serviceParameters: ServiceParameters.create(withA2AExtensions(extension)) };
  }

  async call(skill, fields = {}) {
    const request = SendMessageRequest.fromJSON({
      message: {
        messageId: randomUUID(),
        role: "ROLE_USER",
        parts: [{ data: { type: `${skill}.request`, ...fields }, mediaType: mediaType(skill, "request") }],
      },
      configuration: { acceptedOutputModes: [mediaType(skill, "response")] },
    });
    const reply = await this.client.sendMessage(request, this.options);
    assert.ok("messageId" in reply, "the answer is not a message");
    assert.equal(reply.role, Role.ROLE_AGENT);
    assert.ok(!["", request.message.messageId].includes(reply.messageId));
    assert.ok(reply.contextId);
    const [part] = reply.parts;
    assert.equal(part.mediaType, mediaType(skill, "response"));
    assert.equal(part.content.$case, "data");
    assert.equal(part.content.value.type, `${skill}.response`);
    return part.content.value.data;
  }
}

async function dealerInformation(buyer) {
  const data = await buyer.call("dealer.information");
  assert.equal(data.name, "Demo Motors");
  assert.equal(data.rooftops.length, 2);
}

async function inventoryFacets(buyer) {
  const data = await buyer.call("inventory.facets", { filters: { vehicle_type: ["motorcycle"] } });
  assert.deepEqual(data.vehicle_types.map((entry) => entry.value), ["motorcycle"]);
  const whole = await buyer.call("inventory.facets");
  assert.equal(whole.statuses.reduce((sum, entry) => sum + entry.count, 0), 240);
}

async function inventorySearch(buyer) {
  const data = await buyer.call("inventory.search", {
    filters: { make: ["Honda"], price_max: 30000 },
    sort: { field: "price", order: "asc" },
    pagination: { skip: 0, limit: 5 },
  });
  const prices = data.vehicles.map((vehicle) => vehicle.price);
  assert.ok(prices.length > 0 && prices.at(-1) <= 30000, `prices ${prices}`);
  assert.deepEqual(prices, [...prices].sort((a, b) => a - b));
  assert.ok(data.total >= prices.length);
  assert.equal(data.limit, 5);
}

async function unknownFilter(buyer) {
  const error = await refusal(buyer.call("inventory.search", { filters: { colour: ["red"] } }));
  assert.equal(error.envelopeCode, A2A_ERROR_CODE.INVALID_PARAMS);
  assert.equal(aapError(error).code, "SCHEMA_VALIDATION_FAILED");
  assert.equal(aapError(error).details.errors[0].instanceLocation, "/filters/colour");
}

async function inventoryVehicle(buyer) {
  const found = await buyer.call("inventory.search", {
    filters: { condition: ["used"], vehicle_type: ["car"] },
    pagination: { limit: 1 },
  });
  const { vin } = found.vehicles[0];
  const data = await buyer.call("inventory.vehicle", { vin });
  assert.equal(data.vin, vin);
  assert.ok(["available", "intransit", "pending"].includes(data.status), data.status);
}

async function leadSubmit(buyer) {
  const lead = {
    customer: { first_name: "Interop", last_name: "Buyer", email: "buyer@example.com", preferred_contact: "email" },
    consent: {
      granted_at: new Date().toISOString(),
      allowed_channels: ["email"],
      consent_text: "I agree that Demo Motors answers my question by email.",
      scope: ["lead_submission"],
    },
    appointment: { appointment_type: "sales", duration_minutes: 30 },
    message: "Is the showroom open on Saturdays?",
    source_agent: { name: "javascript-sdk-interop" },
    idempotency_key: randomUUID(),
  };
  const first = await buyer.call("lead.submit", lead);
  assert.equal(first.status, "received");
  assert.equal(first.appointment.status, "requested");
  const again = await buyer.call("lead.submit", lead);
  assert.deepEqual(again, first, "a repeat under the same key gets the first answer");
}

async function unservedSkill(buyer, skill) {
  const error = await refusal(buyer.call(skill));
  assert.equal(error.envelopeCode, UNSERVED[buyer.extension]);
  assert.equal(aapError(error).code, "UNSUPPORTED_SKILL");
}

async function undeclaredOperation(buyer) {
  const error = await refusal(buyer.client.getTask({ tenant: "", id: "none" }, buyer.options));
  assert.ok(error instanceof UnsupportedOperationError, `${error.name}: ${error.message}`);
}

async function unnamedExtension(buyer) {
  const stranger = new Buyer(buyer.client, "urn:another-extension");
  if (buyer.extension === DRAFT) {
    const error = await refusal(stranger.call("dealer.information"));
    assert.equal(error.envelopeCode, A2A_ERROR_CODE.EXTENSION_SUPPORT_REQUIRED);
    assert.ok(error.message.includes(DRAFT), error.message);
  } else {
    await stranger.call("dealer.information");
  }
}

/** The error by which a call is refused; an answer is a failure. */
async function refusal(call) {
  const error = await call.then(
    () => assert.fail("the call was answered"),
    (error) => error,
  );
  assert.ok(error instanceof A2AError, `${error.name}: ${error.message}`);
  return error;
}

/** The AAP error: the data themselves, or in the draft one of a list. */
function aapError({ data }) {
  return Array.isArray(data) ? data.find((detail) => detail["@type"] === AAP_ERROR) : data;
}

const CHECKS = {
  "dealer.information": { dealerInformation },
  "inventory.facets": { inventoryFacets },
  "inventory.search": { inventorySearch, unknownFilter },
  "inventory.vehicle": { inventoryVehicle },
  "lead.submit": { leadSubmit },
};

/** Every check by its name, for a dealer that must serve exactly these skills. */
function checksFor(served) {
  const checks = Object.entries(CHECKS).flatMap(([skill, checks]) =>
    served.includes(skill)
      ? Object.entries(checks)
      : [[`unservedSkill ${skill}`, (buyer) => unservedSkill(buyer, skill)]],
  );
  return [...checks, ...Object.entries({ undeclaredOperation, unnamedExtension })];
}

async function main(url, ...skills) {
  const served = skills.length > 0 ? skills : Object.keys(CHECKS);
  const card = await new DefaultAgentCardResolver().resolve(url);
  const [{ uri: extension }] = card.capabilities.extensions;
  assert.ok(extension in UNSERVED, extension);
  assert.deepEqual(card.skills.map((skill) => skill.id).sort(), [...served].sort());
  console.log(`discovered ${card.name} with ${card.skills.length} skills, ${extension}`);
  const buyer = new Buyer(await new ClientFactory().createFromAgentCard(card), extension);
  let passed = 0;
  let failed = 0;
  for (const [name, check] of checksFor(served)) {
    try {
      await check(buyer);
      passed += 1;
      console.log(`ok ${name}`);
    } catch (error) {
      // Every check is reported, whatever it fails by.
      failed += 1;
      console.log(`FAILED ${name}: ${error.name}: ${error.message}`);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

await main(...process.argv.slice(2));
