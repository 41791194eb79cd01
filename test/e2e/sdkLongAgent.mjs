// An agent on the Agent SDK that works through many prompts in one session and writes down what it has answered.
// Its plan comes as JSON in argv: the CLI, the folders, the environment, the session to resume, and the prompts. Without a
// folder for the archive it runs without any hook of ours.
import { appendFileSync, writeFileSync } from "node:fs";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { agentHooks } from "throughline/sdk";

const plan = JSON.parse(process.argv[2]);
let answered = () => undefined;

async function* prompts() {
  for (const content of plan.prompts) {
    const isAnswered = new Promise((resolve) => {
      answered = resolve;
    });
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
    await isAnswered;
  }
}

const onError = (error) => console.error(`hook: ${error.message}`);
for await (const message of query({
  prompt: prompts(),
  options: {
    pathToClaudeCodeExecutable: plan.cli,
    cwd: plan.cwd,
    model: plan.model,
    env: plan.env,
    settingSources: [],
    permissionMode: "acceptEdits",
    allowedTools: ["Read"],
    ...(plan.resume ? { resume: plan.resume } : {}),
    ...(plan.archive && {
      hooks: agentHooks({ archive: { path: plan.archive, onError }, env: { HOME: plan.env.HOME }, onError }),
    }),
  },
})) {
  if (message.type === "system" && message.subtype === "init")
    writeFileSync(plan.sessionFile, message.session_id);
  if (message.type === "result") {
    appendFileSync(plan.log, `${message.subtype} ${String(message.result).slice(0, 40)}\n`);
    answered();
  }
}
