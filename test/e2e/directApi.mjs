// Stands for api.anthropic.com on port 443 of a namespace and records what it gets: `node directApi.mjs FOLDER COMMAND…`.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import path from "node:path";

const [folder, command, ...args] = process.argv.slice(2);
const file = (name) => path.join(folder, name);

const events = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 3 },
  },
  { type: "message_stop" },
];

const server = createServer(
  { cert: readFileSync(file("certificate.pem")), key: readFileSync(file("key.pem")) },
  (request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, rawHeaders } = request;
      const headers = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : [],
      );
      const body = Buffer.concat(chunks).toString("utf8");
      appendFileSync(file("requests.jsonl"), `${JSON.stringify({ method, url, headers, body })}\n`);
      if (!url.startsWith("/v1/messages")) return response.writeHead(404).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
      );
    });
  },
);

/** A run of ours starts a worker, which would stay. */
function endWorker() {
  const state = file("home/.local/state/throughline/worker.json");
  if (existsSync(state)) process.kill(JSON.parse(readFileSync(state, "utf8")).pid, "SIGKILL");
}

server.listen(443, "127.0.0.1", () => {
  // The whole environment of the run: nothing is inherited.
  const env = {
    PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: file("home"),
    LANG: "C.UTF-8",
    ANTHROPIC_API_KEY: "sk-ant-dummy-00000000000000000000",
    NODE_EXTRA_CA_CERTS: file("authority.pem"),
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const child = spawn(command, args, { cwd: file("work"), env, stdio: ["ignore", "inherit", "inherit"] });
  child.on("exit", (code) => {
    endWorker();
    process.exit(code ?? 1);
  });
});
