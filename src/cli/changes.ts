// What `config set` and `config unset` share: which file, and how a change reads.
import type { ArgsDef } from "citty";
import type { SettingChange } from "../config/index.ts";
import type { Report } from "./command.ts";
import { plain } from "./output.ts";

export const projectArg = {
  project: { type: "boolean", description: "in the project's file instead of your own" },
} as const satisfies ArgsDef;

export function scopeOf(project: boolean | undefined): "user" | "project" {
  return project === true ? "project" : "user";
}

export function changeReport(change: SettingChange): Report {
  const { key, file, before, after, trusted } = change;
  const said = (value: unknown): string => (value === undefined ? "(not set)" : plain(value));
  return {
    // JSON has no undefined: a side on which the file says nothing is null.
    data: {
      ...{ key, file, before: before ?? null, after: after ?? null },
      ...(trusted === undefined ? {} : { trusted }),
    },
    text: [
      `${key}: ${said(before)} → ${said(after)}`,
      file,
      ...(trusted === false
        ? ["the file has other values that you have not trusted; `throughline config trust` shows them"]
        : []),
    ].join("\n"),
  };
}
