// Several values under one name: arrays of JSON, TOML and code, lists of YAML.
import { matchAt } from "../finder.ts";

interface Item {
  readonly start: number;
  readonly end: number;
}

// name = ["a", "b"], "name": [..], name := []string{..}, name = List.of(..), String[] name = {..}
const OPENING =
  /\\{0,3}["'`]?(?:\[\])?\s{0,8}(?:[:=]{1,2}|=>|:\s{0,2}[\w<>[\]]{1,30}\s{0,2}=)\s{0,8}(?:(?:new\s\w{1,20}|\w{0,10})\[\]\w{0,10}\s?\{|(?:(?:List|Set|Arrays|Array)\.\w{1,8}|listOf|setOf|arrayOf|mutableListOf|array|list|set|tuple|frozenset|vec!|Array)?\s?[[(]|\{)\s{0,40}(?=\\{0,3}["'`][^"'`\n]{0,200}\\{0,3}["'`]\s{0,40}[\],;)}])/y;
const QUOTED = /\\{0,3}(["'`])([^"'`\n\\]{0,200})\\{0,3}\1\s{0,40}(,\s{0,40})?/y;
const DASHES = /["']?\s{0,4}:[ \t]{0,4}\r?\n(?=[ \t]{0,40}-[ \t])/y;
const DASHED = /[ \t]{0,40}-[ \t]{1,4}["']?([^\s"'#]{1,200})["']?[ \t]{0,8}(?:#[^\n]{0,80})?(?:\r?\n|$)/y;

/** The items of a list that begins right after a name; empty where none does. */
export function itemsAfter(text: string, nameEnd: number): Item[] {
  const opening = matchAt(OPENING, text, nameEnd) ?? matchAt(DASHES, text, nameEnd);
  if (!opening) return [];
  const [pattern, group] = /\n$/.test(opening[0]) ? ([DASHED, 1] as const) : ([QUOTED, 2] as const);
  const items: Item[] = [];
  for (let at = nameEnd + opening[0].length; ; ) {
    const item = matchAt(pattern, text, at);
    const value = item?.[group];
    if (!item || value === undefined) return items;
    const start = at + item[0].indexOf(value, group === 1 ? item[0].search(/[^\s-]/) : 0);
    items.push({ start, end: start + value.length });
    at += item[0].length;
    if (group === 2 && item[3] === undefined) return items;
  }
}
