/**
 * The JavaScript SDK's last release of A2A 0.3 against the conformance agent, over one interface of its card.
 *
 * Usage: conformance_client_03.js URL BINDING 0.3
 * Prints what conformance_client.js prints.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "a2a-js-sdk-0.3/client";
import { GrpcTransportFactory } from "a2a-js-sdk-0.3/client/grpc";

import { printRows } from "./rows.js";
import { openWebhook } from "./webhook.js";

const NO_TASK = "11111111-2222-4333-8444-555555555555";

/** A client of the SDK that calls the agent over one interface. */
class Peer {
  static async of(url, binding) {
    const card = await new DefaultAgentCardResolver().resolve(url);
    const interfaces = [{ url: card.url, transport: card.preferredTransport }, ...(card.additionalInterfaces ?? [])];
    const chosen = interfaces.find((it) => it.transport === binding);
    assert.ok(chosen, `interfaces: ${JSON.stringify(interfaces)}`);
    // Cards of 0.3 name an address of gRPC with its scheme, which the library of gRPC does not know.
    const address = binding === "GRPC" ? chosen.url.replace("http://", "") : chosen.url;
    const transports = [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()];
    const factory = new ClientFactory({ transports });
    const peer = new Peer();
    peer.card = card;
    peer.binding = binding;
    peer.client = await factory.createFromAgentCard({
      ...card,
      url: address,
      preferredTransport: binding,
      additionalInterfaces: [],
    });
    return peer;
  }

  async task(selects, rest) {
    const answer = await this.client.sendMessage(request(selects, rest));
    assert.equal(answer.kind, "task", JSON.stringify(answer));
    return answer;
  }

  stream(selects, rest) {
    return every(this.client.sendMessageStream(request(selects, rest)));
  }

  /** A task that works until it is ended. */
  async held() {
    const task = await this.task("tck-cancel", { blocking: false });
    assert.ok(["submitted", "working"].includes(task.status.state), task.status.state);
    return task;
  }
}

function request(selects, { parts, task, context, blocking, push } = {}) {
  return {
    message: {
      kind: "message",
      messageId: `${selects}-${randomUUID()}`,
      role: "user",
      parts: parts ?? [{ kind: "text", text: "Zürich 🚗" }],
      taskId: task,
      contextId: context,
    },
    configuration: { blocking: blocking ?? true, pushNotificationConfig: push },
  };
}

async function every(stream) {
  const events = [];
  for await (const event of stream) {
    events.push(event);
  }
  return events;
}

/** Asserts that a call is refused with this error, which tells why. */
async function refused(call, Expected, why = /./) {
  const error = await call.then(
    (answer) => assert.fail(`answered: ${JSON.stringify(answer)}`),
    (error) => error,
  );
  assert.ok(error instanceof Expected, `another error: ${error.name}: ${error.message}`);
  assert.match(error.message, why);
}

const CHECKS = {
  async card({ card }) {
    assert.equal(card.name, "Conformance agent");
    assert.deepEqual(card.skills.map((skill) => skill.id), ["script"]);
  },

  async send_message({ client }) {
    const answer = await client.sendMessage(request("tck-message-response"));
    assert.equal(answer.kind, "message");
    assert.equal(answer.parts[0].text, "Direct message response");
  },

  async send_task(peer) {
    const task = await peer.task("tck-complete-task");
    assert.equal(task.status.state, "completed");
    assert.equal(task.status.message.parts[0].text, "Hello from TCK");
  },

  async send_parts(peer) {
    const data = { stock: 0, used: false, note: "", list: [1, 2.5] };
    const bytes = Buffer.from([0, 255, 16]).toString("base64");
    const parts = [
      { kind: "text", text: "Čeština & <b> 🚗" },
      { kind: "file", file: { bytes, mimeType: "application/octet-stream" } },
      { kind: "file", file: { uri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
      { kind: "data", data },
    ];
    const sent = await peer.task("tck-complete-task", { parts });
    const [text, raw, url, back] = (await peer.client.getTask({ id: sent.id })).history[0].parts;
    assert.equal(text.text, parts[0].text);
    assert.deepEqual([raw.file.bytes, raw.file.mimeType], [bytes, "application/octet-stream"]);
    assert.deepEqual([url.file.uri, url.file.mimeType], [parts[2].file.uri, "application/pdf"]);
    assert.deepEqual(back.data, data);
  },

  async artifacts(peer) {
    const first = async (selects) => (await peer.task(selects)).artifacts[0].parts[0];
    assert.equal((await first("tck-artifact-text")).text, "Generated text content");
    assert.deepEqual((await first("tck-artifact-data")).data, { key: "value", count: 42 });
  },

  async artifact_file(peer) {
    const { file } = (await peer.task("tck-artifact-file")).artifacts[0].parts[0];
    assert.deepEqual([Buffer.from(file.bytes, "base64").toString(), file.mimeType], ["tck", "text/plain"]);
  },

  async follow_up(peer) {
    const asked = await peer.task("tck-input-required");
    assert.equal(asked.status.state, "input-required");
    const done = await peer.task("tck-complete-task", { task: asked.id, context: asked.contextId });
    assert.deepEqual([done.id, done.status.state], [asked.id, "completed"]);
  },

  async states(peer) {
    assert.equal((await peer.task("tck-task-failure")).status.state, "failed");
    assert.equal((await peer.task("tck-reject-task")).status.state, "rejected");
    assert.equal((await peer.task("tck-auth-required")).status.state, "auth-required");
  },

  async stream(peer) {
    const events = await peer.stream("tck-stream-basic");
    const kinds = events.map((event) => event.kind);
    assert.equal(kinds[0], "task", `${kinds}`);
    assert.ok(kinds.includes("artifact-update"), `${kinds}`);
    assert.deepEqual([events.at(-1).final, events.at(-1).status.state], [true, "completed"]);
  },

  async stream_chunks(peer) {
    const events = await peer.stream("tck-stream-chunked");
    const chunks = events.filter((event) => event.kind === "artifact-update");
    assert.deepEqual(chunks.map((it) => it.artifact.parts[0].text), ["chunk-1 ", "chunk-2"]);
    const task = await peer.client.getTask({ id: events[0].id });
    assert.deepEqual(task.artifacts[0].parts.map((part) => part.text), ["chunk-1 ", "chunk-2"]);
  },

  async stream_message(peer) {
    const events = await peer.stream("tck-message-response");
    assert.deepEqual(events.map((event) => event.kind), ["message"]);
  },

  async stream_refused(peer) {
    const refusal = peer.stream("tck-stream-basic", { task: NO_TASK });
    // Over JSON-RPC the SDK has one error for all that a stream is refused by.
    await (peer.binding === "JSONRPC" ? refused(refusal, Error, /-32001/) : refused(refusal, TaskNotFoundError));
  },

  async get(peer) {
    const sent = await peer.task("tck-complete-task");
    const task = await peer.client.getTask({ id: sent.id });
    assert.deepEqual([task.id, task.contextId], [sent.id, sent.contextId]);
    assert.equal(task.history[0].parts[0].text, "Zürich 🚗");
  },

  async get_unknown({ client }) {
    await refused(client.getTask({ id: NO_TASK }), TaskNotFoundError);
  },

  async cancel(peer) {
    const task = await peer.held();
    assert.equal((await peer.client.cancelTask({ id: task.id })).status.state, "canceled");
    const done = await peer.task("tck-complete-task");
    await refused(peer.client.cancelTask({ id: done.id }), TaskNotCancelableError);
    await refused(peer.client.cancelTask({ id: NO_TASK }), TaskNotFoundError);
  },

  async subscribe(peer) {
    const task = await peer.held();
    const events = [];
    for await (const event of peer.client.resubscribeTask({ id: task.id })) {
      if (events.length === 0) {
        await peer.client.cancelTask({ id: task.id });
      }
      events.push(event);
    }
    assert.deepEqual([events[0].kind, events[0].id], ["task", task.id]);
    assert.equal(events.at(-1).status.state, "canceled");
  },

  async push(peer) {
    const { client } = peer;
    const task = await peer.held();
    const hook = { id: "hook", url: "http://127.0.0.1:9/hook", token: "t" };
    const created = await client.setTaskPushNotificationConfig({ taskId: task.id, pushNotificationConfig: hook });
    assert.equal(created.pushNotificationConfig.id, "hook");
    const one = { id: task.id, pushNotificationConfigId: "hook" };
    const found = await client.getTaskPushNotificationConfig(one);
    assert.deepEqual([found.taskId, found.pushNotificationConfig.url], [task.id, hook.url]);
    const listed = await client.listTaskPushNotificationConfig({ id: task.id });
    assert.deepEqual(listed.map((config) => config.pushNotificationConfig.id), ["hook"]);
    await client.deleteTaskPushNotificationConfig(one);
    assert.deepEqual(await client.listTaskPushNotificationConfig({ id: task.id }), []);
    await client.cancelTask({ id: task.id });
  },

  /** A webhook named with the message hears how the task goes on, in the form of 0.3. */
  async push_delivery(peer) {
    const webhook = await openWebhook();
    try {
      const push = { url: webhook.url, token: "secret-of-the-task" };
      const task = await peer.task("tck-stream-basic", { push });
      const call = await webhook.until((call) => call.text.includes("completed"));
      assert.equal(call.headers["x-a2a-notification-token"], "secret-of-the-task");
      const body = JSON.parse(call.text);
      assert.deepEqual([body.kind, body.id], ["task", task.id]);
    } finally {
      webhook.close();
    }
  },

  async unknown_task(peer) {
    await refused(peer.task("tck-complete-task", { task: NO_TASK }), TaskNotFoundError);
  },

  async finished_task(peer) {
    const done = await peer.task("tck-complete-task");
    // Over gRPC the SDK knows the error of other operations only.
    const Expected = peer.binding === "GRPC" ? Error : UnsupportedOperationError;
    await refused(peer.task("tck-complete-task", { task: done.id }), Expected);
  },
};

async function main(url, binding, version) {
  assert.equal(version, "0.3");
  await printRows(CHECKS, await Peer.of(url, binding));
  // Channels of gRPC would keep the process alive.
  process.exit(0);
}

await main(...process.argv.slice(2));
