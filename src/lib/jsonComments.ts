// Reads JSON with comments and trailing commas in one pass; small enough for a hook, which loads no package.
import { parseJson } from "./json.ts";

/** Where the string that begins here ends, behind its closing quote. */
function endOfString(text: string, start: number) {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Where the comment that begins here ends; undefined where none begins. */
function endOfComment(text: string, start: number) {
  const [mark, length] = text.startsWith("//", start) ? ["\n", 0] : ["*/", 2];
  if (length === 2 && !text.startsWith("/*", start)) return undefined;
  const end = text.indexOf(mark, start + 2);
  // A block comment that is never closed leaves a text that does not parse.
  return end === -1 ? text.length + length : end + length;
}

/** The value, `{}` for a text without one, undefined for a text that is broken. */
export function parseJsonWithComments(text: string): unknown {
  const parts: string[] = [];
  let comma = "";
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const sign = text[at] ?? "";
    const behind = sign === "/" ? endOfComment(text, at) : undefined;
    if (behind !== undefined) {
      if (behind > text.length) return undefined;
      at = behind;
      continue;
    }
    const end = sign === '"' ? endOfString(text, at) : at + 1;
    if (sign === ",") {
      parts.push(comma);
      comma = ",";
    } else if (sign.trim() !== "") {
      parts.push(sign === "}" || sign === "]" ? "" : comma, text.slice(at, end));
      comma = "";
    } else parts.push(sign);
    at = end;
  }
  const plain = parts.join("") + comma;
  return plain.trim() === "" ? {} : parseJson(plain);
}
