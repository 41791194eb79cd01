// Translation of other agents' session files: rows of one agent in, rows of Claude Code's form out.
import type { JsonObject } from "../lib/index.ts";
import { codex } from "./dialects/codex.ts";
import { openCode } from "./dialects/openCode.ts";
import { pi } from "./dialects/pi.ts";
import type { RowTranslator } from "./model.ts";

const translators: readonly RowTranslator[] = [codex, openCode, pi];

/** Whether the first bytes of a file may be those of a dialect that is translated. */
export const mayNeedTranslation = (head: string) => translators.some((one) => head.includes(one.head));

export const translatorFor = (firstRow: JsonObject) => translators.find((one) => one.understands(firstRow));
