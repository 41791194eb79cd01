// The sessions of one OpenCode: its events as the hooks that Claude Code would run, and what is known between two of them.
import { callInOurTerms, defined, givenText, isObject, type JsonObject } from "../lib/index.ts";
import type { PluginHost } from "./host.ts";
import type { PluginRequest } from "./window.ts";

/** An event of OpenCode's bus. */
export interface BusEvent {
  readonly type: string;
  readonly properties: JsonObject;
}

interface OpenSession {
  /** The session whose subagent this is. */
  parent?: string;
  isNew: boolean;
  isStarted: boolean;
  model?: string;
  /** The prompt that is worked on. */
  prompt?: string;
  system?: string;
  /** The last answer: its message, and its texts by their part. */
  answer: { id: string; isBroken: boolean; readonly texts: Map<string, string> };
  /** Calls that were told of. */
  readonly calls: Set<string>;
  /** A compaction is under way; our words for it, once there are some. */
  compaction?: { words?: string };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

const newAnswer = (id: string): OpenSession["answer"] => ({ id, isBroken: false, texts: new Map() });

/** What the user wrote: parts that a program added are marked. */
const writtenText = (parts: readonly JsonObject[]) =>
  parts
    .flatMap(({ type, text, synthetic }) => (type === "text" && synthetic !== true ? [textOf(text)] : []))
    .join("\n");

export class OpenCodeSessions {
  readonly #host: PluginHost;
  readonly #directory: string;
  readonly #open = new Map<string, OpenSession>();

  constructor(host: PluginHost, directory: string) {
    this.#host = host;
    this.#directory = directory;
  }

  /** A subagent has a session of its own in OpenCode, and is part of its parent's here. */
  placeOf(id: string): Pick<PluginRequest, "session" | "project" | "agent"> {
    const root = this.#rootOf(id);
    return { session: root, project: this.#directory, ...(root !== id && { agent: id }) };
  }

  systemIs(id: string, system: readonly string[]): void {
    // Titles are asked for under the session's id.
    if (!/^You are a title generator/.test(system[0] ?? "")) this.#of(id).system = system.join("\n");
  }

  systemOf(id: string): string | undefined {
    return this.#of(id).system;
  }

  compacts(id: string): void {
    this.#of(id).compaction = {};
  }

  /** There are no words of ours for it. */
  compactsItself(id: string): void {
    void this.#hook(id, "PreCompact", { trigger: "auto", custom_instructions: null });
  }

  isCompacting(id: string): boolean {
    return this.#of(id).compaction !== undefined;
  }

  summarised(id: string, words: string): void {
    this.#of(id).compaction = { words };
  }

  /** Our words instead of the summary that is being written. */
  summaryFor(id: string): string | undefined {
    return this.#of(id).compaction?.words;
  }

  /** Adds what the session and the prompt are told to the prompt's parts. */
  async prompted(id: string, message: JsonObject, parts: JsonObject[]): Promise<void> {
    const session = this.#of(id);
    const prompt = writtenText(parts);
    if (session.parent !== undefined || prompt === "") return;
    const model = isObject(message.model) ? givenText(message.model.modelID) : undefined;
    Object.assign(session, defined({ model, prompt: givenText(message.id) }));
    const source = session.isNew ? "startup" : "resume";
    const start = session.isStarted ? "" : await this.#hook(id, "SessionStart", { source });
    session.isStarted = true;
    const told = await this.#hook(id, "UserPromptSubmit", { prompt });
    const text = [start, told].filter((one) => one !== "").join("\n\n");
    const last = parts.at(-1);
    if (text === "" || last === undefined) return;
    // Parts stand in the order of their ids.
    const own = { id: `${textOf(last.id)}t`, sessionID: id, messageID: last.messageID };
    parts.push({ ...own, type: "text", text, synthetic: true });
  }

  told({ type, properties }: BusEvent): void {
    const { info, part, sessionID } = properties;
    if ((type === "session.created" || type === "session.updated") && isObject(info)) {
      const session = this.#of(textOf(info.id));
      Object.assign(session, defined({ parent: givenText(info.parentID) }));
      if (type === "session.created") session.isNew = true;
    } else if (type === "message.updated" && isObject(info)) this.#answered(info);
    else if (type === "message.part.updated" && isObject(part)) this.#partTold(part);
    else if (type === "session.compacted") this.#compacted(textOf(sessionID));
    else if (type === "session.idle") this.#stopped(textOf(sessionID));
  }

  /** Every session ends with the process; resolves when all hooks have written. */
  async ended(): Promise<void> {
    for (const [id, { isStarted }] of this.#open)
      if (isStarted) void this.#hook(id, "SessionEnd", { reason: "other" });
    await this.#host.settled();
  }

  #of(id: string): OpenSession {
    const known = this.#open.get(id);
    if (known) return known;
    const session = { isNew: false, isStarted: false, answer: newAnswer(""), calls: new Set<string>() };
    this.#open.set(id, session);
    return session;
  }

  #rootOf(id: string): string {
    const { parent } = this.#of(id);
    return parent === undefined || parent === id ? id : this.#rootOf(parent);
  }

  #hook(id: string, event: string, more: JsonObject): Promise<string> {
    const { session, agent } = this.placeOf(id);
    const { prompt, model } = this.#of(session);
    const about = defined({
      prompt_id: event === "SessionStart" ? undefined : prompt,
      model,
      agent_id: agent,
    });
    const base = { hook_event_name: event, session_id: session, cwd: this.#directory };
    return this.#host.hook({ ...base, ...about, ...more });
  }

  #answered({ id, role, sessionID, error, summary }: JsonObject): void {
    if (role !== "assistant" || summary === true) return;
    const session = this.#of(textOf(sessionID));
    if (session.answer.id !== id) session.answer = newAnswer(textOf(id));
    session.answer.isBroken = error !== undefined;
  }

  #partTold(part: JsonObject): void {
    const session = this.#of(textOf(part.sessionID));
    if (part.type === "tool") this.#toolTold(session, part);
    if (part.type === "text" && part.messageID === session.answer.id)
      session.answer.texts.set(textOf(part.id), textOf(part.text));
  }

  #toolTold({ calls }: OpenSession, { sessionID, tool, callID, state }: JsonObject): void {
    const { status, input, output, error, metadata } = isObject(state) ? state : {};
    const id = textOf(callID);
    // A result that OpenCode clears later is told of again.
    if ((status !== "completed" && status !== "error") || calls.has(id)) return;
    calls.add(id);
    const call = callInOurTerms(textOf(tool), isObject(input) ? input : {}, this.#directory);
    const about = { tool_name: call.name, tool_input: call.input, tool_use_id: id };
    const code = call.name === "Bash" && isObject(metadata) ? metadata.exit : undefined;
    const failure =
      status === "error"
        ? textOf(error)
        : typeof code === "number" && code !== 0
          ? `Exit code ${code}\n${textOf(output)}`
          : undefined;
    const [event, outcome] =
      failure === undefined
        ? ["PostToolUse", { tool_response: textOf(output) }]
        : ["PostToolUseFailure", { error: failure }];
    void this.#hook(textOf(sessionID), event as string, { ...about, ...(outcome as JsonObject) });
  }

  #compacted(id: string): void {
    const session = this.#of(id);
    const isOurs = session.compaction?.words !== undefined;
    delete session.compaction;
    // The worker told of its own.
    if (!isOurs) void this.#hook(id, "PostCompact", { trigger: "auto" });
  }

  #stopped(id: string): void {
    const session = this.#of(id);
    const { answer, parent } = session;
    session.answer = newAnswer("");
    // A compaction that was broken off.
    delete session.compaction;
    const said = [...answer.texts.values()].filter((text) => text !== "").join("\n");
    if (parent !== undefined || said === "" || answer.isBroken) return;
    void this.#hook(id, "Stop", { last_assistant_message: said });
  }
}
