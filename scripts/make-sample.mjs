// Writes the sample session: invented by us, in the rows that Claude Code writes, the same bytes every time.
// usage: node scripts/make-sample.mjs [FILE]     (sample/session.jsonl unless said otherwise)
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./root.mjs";
import { projectFiles } from "./sample/project.mjs";
import { tellStory } from "./sample/story.mjs";

const MODEL = "claude-opus-4-6";
const SESSION = "5a3b1e70-2c4d-4f60-9b1a-7d2e8c90aa11";
const CWD = "/home/dev/ferry-times";
const START = Date.parse("2026-03-12T09:04:00.000Z");
const SYSTEM_AND_TOOLS = 16_800;
const CACHE_MILLISECONDS = 5 * 60_000;
const CHARACTERS_PER_TOKEN = 2.6;

const digest = (text) => createHash("sha256").update(text).digest("hex");
const tokensOf = (text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** Looks like the seal of a thinking block, and is as long as one. */
function signatureFor(text) {
  const seed = digest(text);
  const bytes = Array.from({ length: 8 + (text.length >> 4) }, (_, n) => digest(`${seed}${n}`)).join("");
  return Buffer.from(bytes, "hex").toString("base64");
}

/** A block's part of the prompt. Of thinking it is the seal that counts. */
function weightOf(block) {
  if (block.type === "thinking") return Math.ceil(0.2 * Math.max(0, block.signature.length - 180));
  if (block.type === "tool_use") return 60 + tokensOf(JSON.stringify(block.input));
  return 6 + tokensOf(block.text ?? block.content);
}

class Agent {
  rows = [];
  #files = { ...projectFiles };
  #now = START;
  #serial = 0;
  #last = null;
  #pending = [];
  #prompt = SYSTEM_AND_TOOLS;
  #cached = { tokens: 0, at: Number.NEGATIVE_INFINITY };

  #tick(seconds) {
    this.#now += seconds * 1000;
  }

  #row(type, fields) {
    const name = digest(`row ${this.#serial++}`);
    const uuid = [
      name.slice(0, 8),
      name.slice(8, 12),
      `4${name.slice(13, 16)}`,
      `a${name.slice(17, 20)}`,
      name.slice(20, 32),
    ].join("-");
    this.rows.push({
      parentUuid: this.#last,
      isSidechain: false,
      userType: "external",
      cwd: CWD,
      sessionId: SESSION,
      version: "2.1.96",
      gitBranch: "main",
      type,
      ...fields,
      uuid,
      timestamp: new Date(this.#now).toISOString(),
    });
    this.#last = uuid;
  }

  #entered(blocks) {
    for (const block of blocks) this.#prompt += weightOf(block);
  }

  /** One request and its answer: a row for every block, each with the request's usage. */
  #answer(block) {
    const sentAt = this.#now;
    const prompt = this.#prompt;
    const warm = sentAt - this.#cached.at <= CACHE_MILLISECONDS;
    const read = warm ? this.#cached.tokens : 0;
    this.#cached = { tokens: prompt - 4, at: sentAt };
    const blocks = [...this.#pending, block];
    this.#pending = [];
    const id = `msg_01${digest(`message ${this.#serial}`).slice(0, 22)}`;
    const usage = {
      input_tokens: 4,
      cache_creation_input_tokens: prompt - 4 - read,
      cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: prompt - 4 - read, ephemeral_1h_input_tokens: 0 },
      output_tokens: blocks.reduce((sum, one) => sum + weightOf(one), 0),
      service_tier: "standard",
    };
    for (const one of blocks) {
      this.#tick(3 + (JSON.stringify(one).length % 9));
      const stop = one === block ? (block.type === "tool_use" ? "tool_use" : "end_turn") : null;
      this.#row("assistant", {
        message: {
          id,
          type: "message",
          role: "assistant",
          model: MODEL,
          content: [one],
          stop_reason: stop,
          stop_sequence: null,
          usage,
        },
        requestId: `req_011${id.slice(6, 26)}`,
      });
    }
    this.#entered(blocks);
  }

  #call(name, input, content, failed = false) {
    const id = `toolu_01${digest(`call ${this.#serial}`).slice(0, 22)}`;
    this.#answer({ type: "tool_use", id, name, input });
    this.#tick(1 + (content.length % 17));
    const result = { type: "tool_result", tool_use_id: id, content, ...(failed ? { is_error: true } : {}) };
    this.#row("user", { message: { role: "user", content: [result] } });
    this.#entered([result]);
  }

  #fileOf(name) {
    const text = this.#files[name];
    if (text === undefined) throw new Error(`the demo project has no ${name}`);
    return text;
  }

  pause(minutes) {
    this.#tick(minutes * 60);
  }

  user(text) {
    this.#row("user", { message: { role: "user", content: text } });
    this.#entered([{ type: "text", text }]);
  }

  think(thinking) {
    this.#pending.push({ type: "thinking", thinking, signature: signatureFor(thinking) });
  }

  say(text) {
    this.#answer({ type: "text", text });
  }

  read(name) {
    const lines = this.#fileOf(name).trimEnd().split("\n");
    const numbered = lines.map((line, n) => `${String(n + 1).padStart(6)}→${line}`).join("\n");
    this.#call("Read", { file_path: `${CWD}/${name}` }, numbered);
  }

  grep(pattern, where) {
    const expression = new RegExp(pattern);
    const found = Object.entries(this.#files).flatMap(([name, text]) =>
      name.startsWith(where)
        ? text.split("\n").flatMap((line, n) => (expression.test(line) ? [`${name}:${n + 1}:${line}`] : []))
        : [],
    );
    this.#call("Grep", { pattern, path: where, output_mode: "content" }, found.join("\n"));
  }

  bash(command, output, failed) {
    this.#call("Bash", { command }, output, failed);
  }

  edit(name, before, after) {
    const text = this.#fileOf(name);
    if (text.split(before).length !== 2) throw new Error(`${name} holds this not exactly once: ${before}`);
    this.#files[name] = text.replace(before, () => after);
    this.#call(
      "Edit",
      { file_path: `${CWD}/${name}`, old_string: before, new_string: after },
      `The file ${CWD}/${name} has been updated.`,
    );
  }

  title(text) {
    this.rows.push({ type: "ai-title", aiTitle: text, sessionId: SESSION });
  }
}

const agent = new Agent();
tellStory(agent);
agent.title("Late boats missing from the board");
const file = path.resolve(process.argv[2] ?? path.join(root, "sample", "session.jsonl"));
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, agent.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
