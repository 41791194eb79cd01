// The other processes of the bench: `node servers.mjs upstream`, or `node servers.mjs pass PORT`, a proxy that only pipes.
import { createServer, request } from "node:http";

const [kind, port] = process.argv.slice(2);
const event = (type, more = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const start = event("message_start", { message: { usage: { input_tokens: 1, output_tokens: 1 } } });
const end = event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } });

/** Answers at once; a request with `x-slow` gets a stream that goes on until it is told to end. */
function answer(message, response) {
  message.resume();
  message.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(start);
    if (message.headers["x-slow"] === undefined) return response.end(end);
    const timer = setInterval(() => response.write(event("ping")), 200);
    response.on("close", () => clearInterval(timer));
  });
}

function pass(message, response) {
  const { method, url, headers } = message;
  const onward = request({ port, host: "127.0.0.1", method, path: url, headers }, (answered) => {
    response.writeHead(answered.statusCode, answered.headers);
    answered.pipe(response);
  });
  message.pipe(onward);
}

const server = createServer(kind === "upstream" ? answer : pass);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
