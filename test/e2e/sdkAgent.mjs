// A program as people write it with the Agent SDK: one conversation, archived before it is compacted.
// Its plan comes as JSON in argv: the SDK's module, ours, the CLI, what to archive with or all hooks, and the prompts.
const plan = JSON.parse(process.argv[2]);
const { query } = await import(plan.agentSdk);
const { agentHooks, archiveOnCompact } = await import(plan.throughlineSdk);

async function* prompts() {
  for (const content of plan.prompts) {
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
    await answered();
  }
}

let resolveAnswer = () => undefined;
const answered = () =>
  new Promise((resolve) => {
    resolveAnswer = resolve;
  });

const archive = archiveOnCompact({
  ...plan.archive,
  onError: (error) => console.error(`archive: ${error.message}`),
});
const returned = [];
const watched = async (...input) => {
  const output = await archive(...input);
  returned.push(output);
  return output;
};

const messages = [];
const archiving = plan.archive === null ? {} : { PreCompact: [{ hooks: [watched] }] };
const hooks = plan.agentHooks ? agentHooks(plan.agentHooks) : archiving;
for await (const message of query({
  prompt: prompts(),
  options: {
    pathToClaudeCodeExecutable: plan.cli,
    cwd: plan.cwd,
    env: plan.env,
    settingSources: [],
    permissionMode: "acceptEdits",
    allowedTools: ["Bash", "Read", "Write"],
    hooks,
  },
})) {
  messages.push({ type: message.type, subtype: message.subtype, result: message.result });
  if (message.type === "result") resolveAnswer();
}
console.log(JSON.stringify({ messages, returned }));
