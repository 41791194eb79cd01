// Which stored prompt each turn of a transcript is: by its words and its time, since hooks write a little before the transcript.
import { MINUTE, SECOND, singleLine } from "../../lib/index.ts";
import type { UserPrompt } from "../../store/index.ts";
import type { TurnFigures } from "./model.ts";

/** A prompt that waits in the agent's queue is in the transcript when its turn comes. */
const SAME_WORDS_WITHIN = 30 * MINUTE;
/** Words differ where the agent expands what was typed. */
const SAME_TIME_WITHIN = 5 * SECOND;
const COMPARED_CHARACTERS = 100;

type StoredPrompt = Pick<UserPrompt, "id" | "promptNumber" | "promptText" | "createdAtEpoch">;

const wordsOf = (text: string) => singleLine(text).slice(0, COMPARED_CHARACTERS).replace(/…$/, "");

function nearest(prompts: readonly StoredPrompt[], at: number, within: number) {
  const distance = ({ createdAtEpoch }: StoredPrompt) => Math.abs(createdAtEpoch - at);
  const [best] = prompts
    .filter((prompt) => distance(prompt) <= within)
    .sort((a, b) => distance(a) - distance(b));
  return best;
}

/** Each turn with the ref and the number of its prompt, where one is stored. A prompt belongs to one turn. */
export function withPrompts(turns: readonly TurnFigures[], prompts: readonly StoredPrompt[]): TurnFigures[] {
  const byWords = new Map<string, StoredPrompt[]>();
  for (const prompt of prompts) {
    const words = wordsOf(prompt.promptText);
    byWords.set(words, [...(byWords.get(words) ?? []), prompt]);
  }
  const taken = new Set<number>();
  const free = (list: readonly StoredPrompt[]) => list.filter(({ id }) => !taken.has(id));
  return turns.map((turn) => {
    const at = Date.parse(turn.at);
    const own = byWords.get(wordsOf(turn.prompt)) ?? [];
    const found = nearest(free(own), at, SAME_WORDS_WITHIN) ?? nearest(free(prompts), at, SAME_TIME_WITHIN);
    if (!found || turn.turn === 0) return turn;
    taken.add(found.id);
    return { ...turn, ref: `P${found.id}`, promptNumber: found.promptNumber };
  });
}
