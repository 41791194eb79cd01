// How often the model looks at what was cut on arrival, by tool: counts with a prior, and the rate they give.

/** Results of one tool that were cut when they were first sent, and how many of them were recalled afterwards. */
interface ToolLooks {
  readonly cut: number;
  readonly looked: number;
}

/** Counts by the name of the tool. Plain data: kept with a session, and added up over the sessions of a project. */
export type LookCounts = Readonly<Record<string, ToolLooks>>;

/**
 * What is believed before anything was seen: a quarter of the cuts are looked at. It weighs as much as four cuts: results
 * that are looked at are cut less after two or three looks, and what never is looked at is known only by cutting it.
 */
const prior: ToolLooks = { cut: 4, looked: 1 };

const none: ToolLooks = { cut: 0, looked: 0 };

/** Own fields alone: a tool may be named as something that every object has. */
function countsOf(counts: LookCounts, tool: string) {
  return Object.hasOwn(counts, tool) ? (counts[tool] ?? none) : none;
}

/** The share of a tool's cut results that is expected to be recalled; between 0 and 1, and neither. */
export function lookRate(counts: LookCounts, tool: string) {
  const { cut, looked } = countsOf(counts, tool);
  return Math.min(1, (looked + prior.looked) / (Math.max(cut, looked) + prior.cut));
}

/** The counts after results of these tools were cut. */
export function withCuts(counts: LookCounts, tools: readonly string[]): LookCounts {
  return tools.reduce((sum, tool) => addLooks(sum, { [tool]: { cut: 1, looked: 0 } }), counts);
}

/** The counts after a cut result of this tool was recalled for the first time. */
export function withLook(counts: LookCounts, tool: string): LookCounts {
  return addLooks(counts, { [tool]: { cut: 0, looked: 1 } });
}

/** The counts of two sessions together. */
export function addLooks(one: LookCounts, other: LookCounts): LookCounts {
  const tools = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...tools].map((tool) => {
      const [a, b] = [countsOf(one, tool), countsOf(other, tool)];
      return [tool, { cut: a.cut + b.cut, looked: a.looked + b.looked }];
    }),
  );
}

/** Cuts of a tool in earlier sessions that count: what is seen in this one must be able to move the rate. */
const MOST_REMEMBERED = 32;

/** The counts of earlier sessions, with the weight that they have in a new one. */
export function recentLooks(sessions: readonly LookCounts[]): LookCounts {
  const sums = sessions.reduce(addLooks, {});
  return Object.fromEntries(
    Object.entries(sums).map(([tool, { cut, looked }]) => {
      const scale = Math.min(1, MOST_REMEMBERED / Math.max(1, cut));
      return [tool, { cut: cut * scale, looked: looked * scale }];
    }),
  );
}
