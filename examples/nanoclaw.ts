// A host with groups on the Agent SDK: each group has a folder and a session of its own, and is archived before it is compacted.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { archiveOnCompact } from "throughline/sdk";

const root = path.resolve(process.env.GROUPS ?? "groups");
const sessionsFile = path.join(root, "sessions.json");

function readSessions(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(sessionsFile, "utf8"));
  } catch {
    return {}; // the first start
  }
}

/** One turn of a group: resumes its session, stores the id that the SDK gives back, returns the answer. */
async function runGroup(group: string, prompt: string): Promise<string> {
  const cwd = path.join(root, group);
  mkdirSync(cwd, { recursive: true });
  const sessions = readSessions();
  const resume = sessions[group];
  let answer = "";
  for await (const message of query({
    prompt,
    options: {
      cwd,
      ...(resume === undefined ? {} : { resume }),
      ...(process.env.CLAUDE ? { pathToClaudeCodeExecutable: process.env.CLAUDE } : {}),
      settingSources: [],
      permissionMode: "acceptEdits",
      allowedTools: ["Bash", "Read", "Write", "Edit", "Glob", "Grep"],
      hooks: { PreCompact: [{ hooks: [archiveGroup(group)] }] },
    },
  })) {
    if (message.type === "system" && message.subtype === "init") sessions[group] = message.session_id;
    if (message.type === "result" && message.subtype === "success") answer = message.result;
  }
  writeFileSync(sessionsFile, JSON.stringify(sessions, null, 2));
  return answer;
}

/** `groups/<group>/conversations/<date>-<summary>.md`, with what was said and nothing else. */
function archiveGroup(group: string) {
  return archiveOnCompact({
    path: path.join(root, group, "conversations"),
    name: "{date}-{summary}.md",
    content: "conversation",
    assistantName: "Andy",
    maxTextCharacters: 2_000,
    onError: (error) => console.error(`${group}: not archived:`, error),
  });
}

// Each line of stdin is `group: prompt`.
for await (const line of createInterface({ input: process.stdin })) {
  const [group = "", ...words] = line.split(":");
  if (words.length > 0) console.log(`${group}: ${await runGroup(group.trim(), words.join(":").trim())}`);
}
