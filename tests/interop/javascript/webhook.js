/** A webhook on a port of its own that keeps what it is told. */

import { once } from "node:events";
import { createServer } from "node:http";

/** Opens one; it answers every request with 200. */
export async function openWebhook() {
  const calls = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    calls.push({ headers: request.headers, text: Buffer.concat(chunks).toString() });
    response.end();
    server.emit("called");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    /** The first call that is wanted. */
    async until(wanted) {
      for (let next = 0; ; next += 1) {
        while (next >= calls.length) {
          await once(server, "called");
        }
        if (wanted(calls[next])) {
          return calls[next];
        }
      }
    },
    close: () => server.close(),
  };
}
