// The receipt: every change of every installation, so that it can be undone byte for byte.
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { type Home, receiptFile } from "../home/index.ts";
import { parseJson, present, removeFile, ThroughlineError, writeJson } from "../lib/index.ts";

export const scopes = ["user", "project", "local"] as const;

export type Scope = (typeof scopes)[number];

const text = z.string();
const splice = z.object({ offset: z.int().min(0), removed: text, inserted: text });

const change = z.object({
  /** JSON pointer, as the file was at that moment. */
  pointer: text,
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});

const stepSchema = z.object({
  at: text,
  version: text,
  /** Hash of the file before and after; a step is written down before it is made. */
  before: text,
  after: text,
  changes: z.array(change),
  splices: z.array(splice),
  backup: text.exactOptional(),
});

const installation = z.object({
  scope: z.enum(scopes),
  /** The agent whose file it is, by the name of its adapter; absent for Claude Code. */
  agent: text.exactOptional(),
  lane: z.enum(["hooks", "mods", "mcp", "plugin"]),
  file: text,
  /** The file was not there before. */
  created: z.boolean(),
  /** Containers in the file that were not there before. */
  made: z.array(text),
  steps: z.array(stepSchema),
});

const receipt = z.object({
  v: z.literal(1),
  /** Folders that were not there before: ours, and those of settings files. */
  folders: z.array(text),
  installations: z.array(installation),
});

/** One value that an installation changes; an absent side means that there is no value. */
export type Change = z.output<typeof change>;
export type Step = z.output<typeof stepSchema>;
export type Installation = z.output<typeof installation>;
type Receipt = z.output<typeof receipt>;

const emptyReceipt: Receipt = { v: 1, folders: [], installations: [] };

/** Throws `settings-invalid` for a receipt that cannot be read: guessing would be worse. */
export function readReceipt(home: Home): Receipt {
  const file = receiptFile(home);
  if (!existsSync(file)) return emptyReceipt;
  const parsed = receipt.safeParse(parseJson(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new ThroughlineError(
    "settings-invalid",
    `${file} is not a receipt that this version can read`,
    `move ${file} away; our entries are then found by their names`,
  );
}

export function writeReceipt(home: Home, value: Receipt) {
  if (value.installations.length === 0) removeFile(receiptFile(home));
  else writeJson(receiptFile(home), value, 2);
}

/** One file may hold entries of several scopes. */
type InstallationKey = Pick<Installation, "file" | "scope">;

export const isSame = (one: InstallationKey, other: InstallationKey) =>
  one.file === other.file && one.scope === other.scope;

/** The receipt with `next` in place of the installation of that file and scope, or without one. */
export function withInstallation(value: Receipt, key: InstallationKey, next?: Installation): Receipt {
  const others = value.installations.filter((one) => !isSame(one, key));
  return { ...value, installations: present([...others, next]) };
}
