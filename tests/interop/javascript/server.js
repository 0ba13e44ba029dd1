/**
 * An agent served with the official JavaScript SDK over its three bindings, in A2A 1.0 and 0.3.
 *
 * Usage: server.js
 * Prints "listening on URL" and serves until it is stopped. The first word of a message selects what happens:
 * "message" answers directly, "echo" completes a task whose artifact has the message's parts, "chunks" streams
 * an artifact in two, "ask" asks for more and then completes, "fail" fails, "hold" works until it is canceled.
 */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";

import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { createLegacyAwarePushNotificationSender } from "@a2a-js/sdk/compat/v0_3/server";
import { LegacyA2AService, legacyGrpcService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from "@a2a-js/sdk/server";
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from "@a2a-js/sdk/server/express";
import { A2AService, grpcService } from "@a2a-js/sdk/server/grpc";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import express from "express";

/** Does what the first word of a message says. */
class Agent {
  /** What ends the work on a task, by its id. */
  #held = new Map();

  async execute({ userMessage, taskId, contextId, task }, bus) {
    const text = userMessage.parts.find((part) => part.content?.$case === "text")?.content.value ?? "";
    const [word] = text.split(" ");
    const says = (words) => ({
      messageId: randomUUID(),
      role: "ROLE_AGENT",
      parts: [{ text: words }],
      taskId: task?.id,
      contextId,
    });
    if (word === "message") {
      bus.publish(AgentEvent.message(Message.fromJSON(says("Direct answer"))));
      bus.finished();
      return;
    }
    const status = (state, message) =>
      bus.publish(
        AgentEvent.statusUpdate(
          TaskStatusUpdateEvent.fromJSON({
            taskId,
            contextId,
            status: { state, message, timestamp: new Date().toISOString() },
          }),
        ),
      );
    const artifact = (artifactId, parts, rest) =>
      bus.publish(
        AgentEvent.artifactUpdate(
          TaskArtifactUpdateEvent.fromJSON({ taskId, contextId, artifact: { artifactId, parts }, ...rest }),
        ),
      );
    const begun = Task.fromJSON({
      id: taskId,
      contextId,
      status: { state: "TASK_STATE_SUBMITTED", timestamp: new Date().toISOString() },
    });
    begun.history = [userMessage];
    bus.publish(AgentEvent.task(task ?? begun));
    status("TASK_STATE_WORKING");
    if (word === "echo") {
      artifact("echo", Message.toJSON(userMessage).parts);
    } else if (word === "chunks") {
      artifact("chunks", [{ text: "one " }]);
      artifact("chunks", [{ text: "two" }], { append: true, lastChunk: true });
    }
    if (word === "fail") {
      status("TASK_STATE_FAILED");
    } else if (word === "hold") {
      await new Promise((end) => this.#held.set(taskId, end));
      status("TASK_STATE_CANCELED");
    } else if (word === "ask" && !task) {
      status("TASK_STATE_INPUT_REQUIRED", says("What else?"));
    } else {
      status("TASK_STATE_COMPLETED", says("Done"));
    }
    bus.finished();
  }

  async cancelTask(taskId) {
    this.#held.get(taskId)?.();
  }
}

function agentCard(http, rpc) {
  const bindings = { JSONRPC: `${http}/rpc`, "HTTP+JSON": http, GRPC: rpc };
  return AgentCard.fromJSON({
    name: "Foreign agent",
    description: "Does what the first word of a message says.",
    version: "1.0.0",
    supportedInterfaces: ["1.0", "0.3"].flatMap((protocolVersion) =>
      Object.entries(bindings).map(([protocolBinding, url]) => ({ protocolBinding, url, protocolVersion })),
    ),
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "words", name: "Words", description: "Follows a word.", tags: ["test"] }],
  });
}

const legacyCompat = { enabled: true };
const userBuilder = UserBuilder.noAuthentication;
const rpc = new Server();
const app = express();
const http = createServer(app);
http.listen(0, "127.0.0.1");
await once(http, "listening");
const url = `http://127.0.0.1:${http.address().port}`;
const bind = promisify(rpc.bindAsync.bind(rpc));
const rpcPort = await bind("127.0.0.1:0", ServerCredentials.createInsecure());

const store = new InMemoryPushNotificationStore();
const requestHandler = new DefaultRequestHandler(
  agentCard(url, `127.0.0.1:${rpcPort}`),
  new InMemoryTaskStore(),
  new Agent(),
  undefined,
  store,
  createLegacyAwarePushNotificationSender(store),
);
rpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
rpc.addService(LegacyA2AService, legacyGrpcService({ requestHandler, userBuilder }));
app.use(
  "/.well-known/agent-card.json",
  agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }),
);
app.use("/rpc", jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }));
app.use("/", restHandler({ requestHandler, userBuilder, legacyCompat }));
console.log(`listening on ${url}`);
