// Tells the model that a snapshot block does not hold: Claude Code reads CLAUDE.md before any hook can take the block out.
import type { Language } from "../home/index.ts";
import { ownContextMark } from "../lib/index.ts";
import type { Page } from "./page.ts";
import { voidWords } from "./words.ts";

export interface VoidBlock {
  readonly page: Page;
  /** The snapshot that the block names, where it names one. */
  readonly name: string | undefined;
  readonly why: "outdated" | "foreign";
}

/** Empty where every block holds. */
export function voidText(
  blocks: readonly VoidBlock[],
  { language, nonce }: { readonly language: Language; readonly nonce: string },
): string {
  if (blocks.length === 0) return "";
  const words = voidWords[language];
  const lines = blocks.map(({ page, name, why }) => words[why](page, name && `.claude/${name}`));
  return [
    `<${ownContextMark.name} kind="snapshot-void" nonce="${nonce}">`,
    ...lines,
    words.end(nonce),
    ownContextMark.close,
  ].join("\n");
}
