// The list of typed memories for a session whose agent does not load them itself: one line each, with its age and what is stale.
import type { Language } from "../home/index.ts";
import { ownContextMark } from "../lib/index.ts";
import { isGuidance, type StoredMemory, staleBanner, standingLine, trustSection } from "../memdir/index.ts";
import { estimateText } from "../tokens/index.ts";
import { cut, lineOf } from "./quote.ts";
import { type InjectWords, injectWords } from "./words.ts";

export interface MemoriesMaterial {
  /** The project's name. */
  readonly project: string;
  /** Where the memories lie. */
  readonly folder: string;
  readonly now: number;
  /** Most important first. */
  readonly memories: readonly StoredMemory[];
  /** What no longer holds, by the hash of the memory. */
  readonly stale: Readonly<Record<string, readonly string[]>>;
}

export interface MemoriesLook {
  readonly language: Language;
  /** Unpredictable when the memories or entries were written. */
  readonly nonce: string;
  readonly tokens: number;
  readonly characters: number;
}

const NAME_WIDTH = 100;
const HOOK_WIDTH = 160;
const EVIDENCE_WIDTH = 160;
const MOST_MEMORY_EVIDENCE = 2;

function memoryItem(
  memory: StoredMemory,
  { now, stale }: MemoriesMaterial,
  language: Language,
  { withheld }: InjectWords,
) {
  const role = isGuidance(memory.type) ? "guidance" : "data";
  const line = (text: string, width: number) => cut(lineOf(text, withheld, role), width);
  const { file, type = "", name, description, hash } = memory;
  const what = `${line(name, NAME_WIDTH)} — ${line(description, HOOK_WIDTH)}`;
  const evidence = (stale[hash] ?? []).slice(0, MOST_MEMORY_EVIDENCE);
  const checked = evidence.map((text) => ({
    standing: "stale" as const,
    evidence: line(text, EVIDENCE_WIDTH),
  }));
  const banner = checked.length === 0 ? undefined : staleBanner({ standing: "stale", checked }, language);
  return [
    `- ${line(file, NAME_WIDTH)} · ${type} · ${what} (${standingLine(memory, now, language)})`,
    ...(banner === undefined ? [] : [banner.trimEnd().replace(/^/gm, "  ")]),
  ].join("\n");
}

/** Within its tokens and characters; empty where there is nothing to inject, or no budget left. */
export function memoriesText(material: MemoriesMaterial, look: MemoriesLook) {
  const { memories, project, folder } = material;
  const words = injectWords[look.language];
  const head = [
    `<${ownContextMark.name} kind="memories" nonce="${look.nonce}">`,
    words.memories(lineOf(project, "this project"), lineOf(folder, "")),
    "",
  ].join("\n");
  const end = `${trustSection(look.language)}\n${words.end(look.nonce)}\n${ownContextMark.close}`;
  const textOf = (items: readonly string[]) => {
    const left = memories.length - items.length;
    return [head, ...items, ...(left === 0 ? [] : [words.moreMemories(left)]), "", end].join("\n");
  };
  const tokensOf = (text: string) => estimateText(text, "new");
  const items: string[] = [];
  let [characters, tokens] = [look.characters - textOf([]).length, look.tokens - tokensOf(textOf([]))];
  for (const memory of memories) {
    const item = memoryItem(memory, material, look.language, words);
    characters -= item.length + 1;
    tokens -= tokensOf(item);
    if (characters < 0 || tokens < 0) break;
    items.push(item);
  }
  // Sums of estimates are not the estimate of the sum.
  while (items.length > 0) {
    const text = textOf(items);
    if (text.length <= look.characters && tokensOf(text) <= look.tokens) return text;
    items.pop();
  }
  return "";
}
