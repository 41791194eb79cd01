// Everything that Throughline told a model, and the rule for it: a stranger's words stand in a block that they cannot close.

export interface Told {
  /** At which event, or by which tool. */
  readonly where: string;
  readonly text: string;
}

/** A block of ours: what is between the marks that carry one nonce. */
const BLOCK =
  /<throughline-context kind="([\w-]+)" nonce="([0-9a-f]{8,64})">\n([\s\S]*?)\nEnd of [a-z ]+ \2\.\n<\/throughline-context>/g;

/** How a line of ours begins that quotes: a quotation, a cell, an item, an entry's head. */
const OUR_LINE =
  /^(?:\s*>|\| |- |\d+\. |▶ |[#SPM]\d+[ ·(]|\S+\.md · |tl:[0-9a-f]{12}|Left to do according to S\d+:|More: |There is nothing named )/;

const UNSEEN = /(?!\n|\t)\p{Cc}|[\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const SPOKEN = /<\/?\s*(?:throughline-context|system-reminder|system|function_calls|invoke|tool_result)\b/i;

/** What is wrong with a text that a model was told; empty when every stranger's word in it is quoted. */
export function problemsWith({ where, text }: Told, mark: string): string[] {
  const problems: string[] = [];
  const isTheirs = (part: string): boolean => part.toLowerCase().includes(mark.toLowerCase());
  const outside = text.replace(BLOCK, (_block, kind: string, _nonce: string, body: string) => {
    // Exact text is what recall is for: nothing but the nonce ends it.
    if (kind === "recall") return "";
    if (SPOKEN.test(body)) problems.push(`${where}: a tag inside a block: ${excerpt(body, SPOKEN)}`);
    if (UNSEEN.test(body)) problems.push(`${where}: a character that cannot be seen inside a block`);
    for (const line of body.split("\n").filter(isTheirs))
      if (!OUR_LINE.test(line))
        problems.push(`${where}: a line that begins with their words: ${line.slice(0, 120)}`);
    return "";
  });
  if (isTheirs(outside))
    problems.push(`${where}: outside of a block: ${excerpt(outside, new RegExp(mark, "i"))}`);
  if (SPOKEN.test(outside)) problems.push(`${where}: a tag outside of a block: ${excerpt(outside, SPOKEN)}`);
  return problems;
}

const excerpt = (text: string, pattern: RegExp): string => {
  const at = text.search(pattern);
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 100));
};
