// What a compacted window gets back behind its kept messages: files, plan, skills and the state of the session.
import type { History, Message } from "../messages/index.ts";
import type { TokenizerFamily } from "../tokens/index.ts";

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

export interface Attachment {
  readonly kind: AttachmentKind;
  readonly message: Message;
  readonly tokens: number;
}

export interface AttachmentLimits {
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

export interface RunningTask {
  readonly id: string;
  /** What it is about, in a few words. */
  readonly about: string;
}

export interface InvokedSkill {
  readonly name: string;
  /** Its instructions, where they are known. */
  readonly content?: string;
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

/** Messages for the place behind the kept ones, in the order of `attachmentKinds`; what has no reason to be there is not. */
export function attachmentsFor(_input: AttachmentInput): readonly Attachment[] {
  return [];
}
