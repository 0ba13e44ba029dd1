/**
 * The official JavaScript SDK against the conformance agent, over one interface of its card.
 *
 * Usage: conformance_client.js URL BINDING VERSION
 * Prints a line for each operation: its name, "ok", "FAILED" or "-" (the version has no such operation), and
 * what was seen, with tabs between them.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  Role,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
  TaskState,
} from "@a2a-js/sdk";
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import {
  A2AError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";

import { Absent, printRows } from "./rows.js";
import { openWebhook } from "./webhook.js";

const NO_TASK = "11111111-2222-4333-8444-555555555555";

/** A client of the SDK that calls the agent over one interface. */
class Peer {
  static async of(url, binding, version) {
    const legacyCompat = { enabled: true };
    const resolver = new DefaultAgentCardResolver({ legacyCompat });
    const card = await resolver.resolve(url);
    const supportedInterfaces = card.supportedInterfaces.filter(
      (it) => it.protocolBinding === binding && it.protocolVersion === version,
    );
    assert.equal(supportedInterfaces.length, 1, `interfaces: ${JSON.stringify(card.supportedInterfaces)}`);
    const transports = [JsonRpcTransportFactory, RestTransportFactory, GrpcTransportFactory].map(
      (Transport) => new Transport({ legacyCompat }),
    );
    const factory = new ClientFactory({ transports, cardResolver: resolver });
    // Cards of 0.3 name an address of gRPC with its scheme, which the library of gRPC does not know.
    for (const it of supportedInterfaces) {
      it.url = binding === "GRPC" ? it.url.replace("http://", "") : it.url;
    }
    const peer = new Peer();
    peer.card = card;
    peer.binding = binding;
    peer.version = version;
    peer.client = await factory.createFromAgentCard({ ...card, supportedInterfaces });
    return peer;
  }

  async message(selects, rest) {
    const answer = await this.client.sendMessage(request(selects, rest));
    assert.ok("messageId" in answer, `no message: ${JSON.stringify(answer)}`);
    return answer;
  }

  async task(selects, rest) {
    const answer = await this.client.sendMessage(request(selects, rest));
    assert.ok("status" in answer, `no task: ${JSON.stringify(answer)}`);
    return answer;
  }

  stream(selects, rest) {
    return every(this.client.sendMessageStream(request(selects, rest)));
  }

  get(id, historyLength) {
    return this.client.getTask(GetTaskRequest.fromJSON({ id, historyLength }));
  }

  cancel(id) {
    return this.client.cancelTask(CancelTaskRequest.fromJSON({ id }));
  }

  subscribe(id) {
    return this.client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }));
  }

  /** A task that works until it is ended. */
  async held() {
    const task = await this.task("tck-cancel", { atOnce: true });
    const { state } = task.status;
    assert.ok([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING].includes(state), TaskState[state]);
    return task;
  }
}

function request(selects, { parts, task, context, atOnce, push } = {}) {
  return SendMessageRequest.fromJSON({
    message: {
      messageId: `${selects}-${randomUUID()}`,
      role: "ROLE_USER",
      parts: parts ?? [{ text: "Zürich 🚗" }],
      taskId: task,
      contextId: context,
    },
    configuration: { returnImmediately: atOnce ?? false, taskPushNotificationConfig: push },
  });
}

async function every(stream) {
  const events = [];
  for await (const event of stream) {
    events.push(event.payload);
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

function state(task, expected) {
  assert.equal(TaskState[task.status.state], expected);
}

function content(part) {
  return [part.content?.$case, part.content?.value];
}

const CHECKS = {
  async card({ card }) {
    assert.equal(card.name, "Conformance agent");
    assert.deepEqual(card.skills.map((skill) => skill.id), ["script"]);
  },

  async send_message(peer) {
    const answer = await peer.message("tck-message-response");
    assert.equal(answer.role, Role.ROLE_AGENT);
    assert.deepEqual(content(answer.parts[0]), ["text", "Direct message response"]);
  },

  async send_task(peer) {
    const task = await peer.task("tck-complete-task");
    state(task, "TASK_STATE_COMPLETED");
    assert.deepEqual(content(task.status.message.parts[0]), ["text", "Hello from TCK"]);
    assert.ok(task.id && task.contextId);
  },

  /** Every kind of part arrives, and comes back in the history as it was sent. */
  async send_parts(peer) {
    const data = { stock: 0, used: false, note: "", none: null, list: [1, 2.5] };
    const bytes = Buffer.from([0, 255, 16]);
    const parts = [
      { text: "Čeština & <b> 🚗" },
      { raw: bytes.toString("base64"), filename: "a.bin", mediaType: "application/octet-stream" },
      { url: "https://example.com/a.pdf", filename: "a.pdf", mediaType: "application/pdf" },
      { data, mediaType: "application/json" },
    ];
    const sent = await peer.task("tck-complete-task", { parts });
    const back = (await peer.get(sent.id)).history[0].parts;
    assert.deepEqual(content(back[0]), ["text", parts[0].text]);
    assert.equal(back[1].content.$case, "raw");
    assert.deepEqual(Buffer.from(back[1].content.value), bytes);
    assert.equal(back[1].mediaType, "application/octet-stream");
    assert.deepEqual(content(back[2]), ["url", parts[2].url]);
    assert.deepEqual(content(back[3]), ["data", data]);
  },

  async artifacts(peer) {
    const first = async (selects) => (await peer.task(selects)).artifacts[0].parts[0];
    assert.deepEqual(content(await first("tck-artifact-text")), ["text", "Generated text content"]);
    const file = await first("tck-artifact-file");
    assert.equal(Buffer.from(file.content.value).toString(), "tck");
    assert.equal(file.mediaType, "text/plain");
    assert.deepEqual(content(await first("tck-artifact-file-url")), ["url", "https://example.com/output.txt"]);
    assert.deepEqual(content(await first("tck-artifact-data")), ["data", { key: "value", count: 42 }]);
  },

  async file_name(peer) {
    const [file] = (await peer.task("tck-artifact-file")).artifacts[0].parts;
    assert.equal(file.filename, "output.txt");
  },

  async follow_up(peer) {
    const asked = await peer.task("tck-input-required");
    state(asked, "TASK_STATE_INPUT_REQUIRED");
    const done = await peer.task("tck-complete-task", { task: asked.id, context: asked.contextId });
    assert.deepEqual([done.id, done.contextId], [asked.id, asked.contextId]);
    state(done, "TASK_STATE_COMPLETED");
    const whole = await peer.get(asked.id);
    assert.equal(whole.history.filter((message) => message.role === Role.ROLE_USER).length, 2);
  },

  async states(peer) {
    state(await peer.task("tck-task-failure"), "TASK_STATE_FAILED");
    state(await peer.task("tck-reject-task"), "TASK_STATE_REJECTED");
    state(await peer.task("tck-auth-required"), "TASK_STATE_AUTH_REQUIRED");
  },

  async send_at_once(peer) {
    const task = await peer.held();
    await peer.cancel(task.id);
  },

  async stream(peer) {
    const events = await peer.stream("tck-stream-basic");
    const kinds = events.map((event) => event.$case);
    assert.equal(kinds[0], "task", `${kinds}`);
    assert.ok(kinds.includes("artifactUpdate"), `${kinds}`);
    assert.equal(kinds.at(-1), "statusUpdate", `${kinds}`);
    state(events.at(-1).value, "TASK_STATE_COMPLETED");
  },

  async stream_chunks(peer) {
    const events = await peer.stream("tck-stream-chunked");
    const chunks = events.filter((event) => event.$case === "artifactUpdate").map((event) => event.value);
    assert.deepEqual(chunks.map((it) => it.artifact.parts[0].content.value), ["chunk-1 ", "chunk-2"]);
    assert.deepEqual(chunks.map((it) => it.lastChunk), [false, true]);
    const task = await peer.get(events[0].value.id);
    assert.deepEqual(task.artifacts[0].parts.map((part) => part.content.value), ["chunk-1 ", "chunk-2"]);
  },

  async chunk_flags(peer) {
    const events = await peer.stream("tck-stream-chunked");
    const chunks = events.filter((event) => event.$case === "artifactUpdate").map((event) => event.value);
    assert.deepEqual(chunks.map((it) => it.append), [false, true]);
  },

  async stream_message(peer) {
    const events = await peer.stream("tck-message-response");
    assert.deepEqual(events.map((event) => event.$case), ["message"]);
  },

  async stream_refused(peer) {
    await refused(peer.stream("tck-stream-basic", { task: NO_TASK }), TaskNotFoundError);
  },

  async get(peer) {
    const sent = await peer.task("tck-complete-task");
    const task = await peer.get(sent.id);
    assert.deepEqual([task.id, task.contextId], [sent.id, sent.contextId]);
    assert.deepEqual(content(task.history[0].parts[0]), ["text", "Zürich 🚗"]);
    assert.ok((await peer.get(sent.id, 1)).history.length <= 1);
  },

  async get_unknown(peer) {
    await refused(peer.get(NO_TASK), TaskNotFoundError);
  },

  async list_tasks(peer) {
    if (peer.version === "0.3") {
      throw new Absent("A2A 0.3 lists no tasks");
    }
    const first = await peer.task("tck-artifact-text");
    const contextId = first.contextId;
    const second = await peer.task("tck-complete-task", { context: contextId });
    const list = (rest) => peer.client.listTasks(ListTasksRequest.fromJSON({ contextId, ...rest }));
    const whole = await list();
    assert.deepEqual(whole.tasks.map((task) => task.id), [second.id, first.id]);
    assert.deepEqual([whole.totalSize, whole.nextPageToken], [2, ""]);
    assert.deepEqual(whole.tasks[1].artifacts ?? [], []);
    const page = await list({ pageSize: 1, includeArtifacts: true });
    const rest = await list({ pageSize: 1, includeArtifacts: true, pageToken: page.nextPageToken });
    assert.deepEqual([page.tasks[0].id, rest.tasks[0].id], [second.id, first.id]);
    assert.equal(rest.tasks[0].artifacts.length, 1);
    assert.equal(rest.nextPageToken, "");
    assert.deepEqual((await list({ status: "TASK_STATE_FAILED" })).tasks, []);
  },

  async cancel(peer) {
    const task = await peer.held();
    state(await peer.cancel(task.id), "TASK_STATE_CANCELED");
    const done = await peer.task("tck-complete-task");
    await refused(peer.cancel(done.id), TaskNotCancelableError);
    await refused(peer.cancel(NO_TASK), TaskNotFoundError);
  },

  async subscribe(peer) {
    const task = await peer.held();
    const events = [];
    for await (const { payload } of peer.subscribe(task.id)) {
      if (events.length === 0) {
        await peer.cancel(task.id);
      }
      events.push(payload);
    }
    assert.deepEqual([events[0].$case, events[0].value.id], ["task", task.id]);
    assert.equal(events.at(-1).$case, "statusUpdate");
    state(events.at(-1).value, "TASK_STATE_CANCELED");
  },

  async subscribe_finished(peer) {
    const done = await peer.task("tck-complete-task");
    await refused(every(peer.subscribe(done.id)), UnsupportedOperationError);
    await refused(every(peer.subscribe(NO_TASK)), TaskNotFoundError);
  },

  async push(peer) {
    const { client } = peer;
    const task = await peer.held();
    const url = "http://127.0.0.1:9/hook";
    const config = TaskPushNotificationConfig.fromJSON({ taskId: task.id, id: "hook", url, token: "t" });
    assert.deepEqual(fields(await client.createTaskPushNotificationConfig(config)), [task.id, "hook", url]);
    const one = { taskId: task.id, id: "hook" };
    const get = () => client.getTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest.fromJSON(one));
    const list = () =>
      client.listTaskPushNotificationConfig(ListTaskPushNotificationConfigsRequest.fromJSON({ taskId: task.id }));
    assert.deepEqual(fields(await get()), [task.id, "hook", url]);
    assert.deepEqual((await list()).configs.map((config) => config.id), ["hook"]);
    await client.deleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest.fromJSON(one));
    assert.deepEqual((await list()).configs, []);
    await refused(get(), TaskNotFoundError);
    await peer.cancel(task.id);
  },

  /** A webhook named with the message hears how the task goes on, in the form of its version. */
  async push_delivery(peer) {
    const webhook = await openWebhook();
    try {
      const task = await peer.task("tck-stream-basic", { push: { url: webhook.url, token: "secret-of-the-task" } });
      const call = await webhook.until((call) => /completed/i.test(call.text));
      assert.equal(call.headers["x-a2a-notification-token"], "secret-of-the-task");
      assert.ok(call.text.includes(task.id), call.text);
      assert.equal("kind" in JSON.parse(call.text), peer.version === "0.3", call.text);
    } finally {
      webhook.close();
    }
  },

  /** A message without parts, which the SDK lets through. */
  async invalid(peer) {
    // Of the bindings only JSON-RPC has an error of its own for it in the SDK.
    const Expected = peer.binding === "JSONRPC" ? RequestMalformedError : Error;
    await refused(peer.task("tck-complete-task", { parts: [] }), Expected, /(parts|content) is (missing|empty)/);
  },

  async unknown_task(peer) {
    await refused(peer.task("tck-complete-task", { task: NO_TASK }), TaskNotFoundError);
  },

  async finished_task(peer) {
    const done = await peer.task("tck-complete-task");
    await refused(peer.task("tck-complete-task", { task: done.id }), UnsupportedOperationError);
  },

  async concurrent(peer) {
    const tasks = await Promise.all(Array.from({ length: 32 }, () => peer.task("tck-complete-task")));
    assert.equal(new Set(tasks.map((task) => task.id)).size, 32);
  },
};

function fields({ taskId, id, url }) {
  return [taskId, id, url];
}

async function main(url, binding, version) {
  const peer = await Peer.of(url, binding, version);
  await printRows(CHECKS, peer);
  // Channels of gRPC would keep the process alive.
  process.exit(0);
}

await main(...process.argv.slice(2));
