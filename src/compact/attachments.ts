// What a compacted window gets back behind its kept messages: files, plan, skills and the state of the session.
import { type InvokedSkill, type RunningTask, type SessionState, sessionState } from "../activity/index.ts";
import type { History, Message } from "../messages/index.ts";
import { estimateMessage, type TokenizerFamily } from "../tokens/index.ts";
import { fileParts } from "./attachedFiles.ts";
import {
  mcpDeltaText,
  namesDeltaText,
  planModeText,
  planText,
  skillParts,
  taskText,
} from "./attachmentTexts.ts";
import { cutToTokens } from "./cut.ts";

/** In the order in which they stand. */
export const attachmentKinds = [
  "file_reference",
  "plan_file_reference",
  "invoked_skills",
  "plan_mode",
  "task_status",
  "deferred_tools_delta",
  "agent_listing_delta",
  "mcp_instructions_delta",
  "session_start",
] as const;

/** The eight kinds of attachment, and what session-start hooks print, which comes last. */
export type AttachmentKind = (typeof attachmentKinds)[number];

interface Attachment {
  readonly kind: AttachmentKind;
  readonly message: Message;
  readonly tokens: number;
}

interface AttachmentLimits {
  readonly files: number;
  readonly fileTokens: number;
  readonly tokensPerFile: number;
  readonly skillTokens: number;
  readonly tokensPerSkill: number;
}

export const defaultAttachmentLimits: AttachmentLimits = {
  files: 5,
  fileTokens: 50_000,
  tokensPerFile: 5_000,
  skillTokens: 25_000,
  tokensPerSkill: 5_000,
};

/** What the agent offers its model beside the messages. */
export interface Offers {
  readonly tools?: readonly string[];
  readonly agents?: readonly string[];
  /** By name of the server. */
  readonly mcpInstructions?: Readonly<Record<string, string>>;
}

/** Whatever is not given is read from the history; what changed around the messages can only be given. */
export interface AttachmentInput {
  /** Every original message up to now. */
  readonly history: History;
  /** Those that stay in view: nothing in them is attached again. */
  readonly kept: History;
  readonly family: TokenizerFamily;
  readonly limits?: AttachmentLimits;
  /** Tokens that all attachments together may take. */
  readonly total?: number;
  /** The file as it is now, undefined when it is gone. Without it the history's last sight of a file is used. */
  readonly readFile?: (path: string) => string | undefined;
  readonly plan?: string;
  readonly planMode?: boolean;
  readonly skills?: readonly InvokedSkill[];
  readonly tasks?: readonly RunningTask[];
  /** At the last compaction or at the start, and now. */
  readonly offersBefore?: Offers;
  readonly offersNow?: Offers;
  /** What session-start hooks printed. */
  readonly sessionStart?: string;
}

/**
 * Messages for the place behind the kept ones, in the order of `attachmentKinds`; what has no reason to be there is not.
 * Under a total the state of the session comes first, then the plan, the skills, and the files with all that is left;
 * each leaves at least half of the rest to what comes after it.
 */
export function attachmentsFor(input: AttachmentInput): readonly Attachment[] {
  const { history, kept, family, limits = defaultAttachmentLimits, total, sessionStart } = input;
  const state: SessionState = { ...sessionState(history), ...given(input) };
  const made: Attachment[] = [];
  let left = total ?? Number.POSITIVE_INFINITY;
  const add = (kind: AttachmentKind, content: Message["content"] | undefined) => {
    if (content === undefined || content.length === 0) return;
    const message: Message = { role: "user", content };
    const tokens = estimateMessage(message, family);
    if (tokens > left) return;
    left -= tokens;
    made.push({ kind, message, tokens });
  };
  const addText = (kind: AttachmentKind, text: string | undefined) =>
    add(kind, text && cutToTokens(text, left / 2, family, "(cut here)"));
  const blocks = (texts: readonly string[]) => texts.map((text) => ({ type: "text", text }));

  for (const [kind, text] of stateTexts(input, state)) addText(kind, text);
  addText("session_start", sessionStart?.trim());
  if (state.plan !== undefined) addText("plan_file_reference", planText(state.plan));
  const skills = skillParts(state.skills, kept, {
    all: Math.min(limits.skillTokens, left / 2),
    each: limits.tokensPerSkill,
    family,
  });
  add("invoked_skills", skills.length === 1 ? skills[0] : blocks(skills));
  const files = fileParts(history, kept, {
    count: limits.files,
    all: Math.min(limits.fileTokens, left),
    each: limits.tokensPerFile,
    shared: total !== undefined,
    family,
    ...(input.readFile ? { readFile: input.readFile } : {}),
  });
  add("file_reference", blocks(files));
  return made.sort((a, b) => attachmentKinds.indexOf(a.kind) - attachmentKinds.indexOf(b.kind));
}

function given({ plan, planMode, skills, tasks }: AttachmentInput): Partial<SessionState> {
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(planMode === undefined ? {} : { planMode }),
    ...(skills === undefined ? {} : { skills }),
    ...(tasks === undefined ? {} : { tasks }),
  };
}

function stateTexts(
  { offersBefore: before, offersNow: now }: AttachmentInput,
  { planMode, tasks }: SessionState,
): readonly (readonly [AttachmentKind, string | undefined])[] {
  return [
    ["plan_mode", planMode ? planModeText() : undefined],
    ["task_status", taskText(tasks)],
    ["deferred_tools_delta", namesDeltaText("deferred tools delta", before?.tools, now?.tools)],
    ["agent_listing_delta", namesDeltaText("agent listing delta", before?.agents, now?.agents)],
    ["mcp_instructions_delta", mcpDeltaText(before?.mcpInstructions, now?.mcpInstructions)],
  ];
}
