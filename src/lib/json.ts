// JSON from outside: guards for its values, and reading it with comments.

/** An object with any fields. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON, or gives undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const optionalString = (value: unknown) => (typeof value === "string" ? value : undefined);

/** A text that says something; undefined for an empty one and for anything else. */
export function givenText(value: unknown) {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Every text inside a value. */
export function stringsIn(value: unknown, into: string[] = []): string[] {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) stringsIn(part, into);
  return into;
}

/** Objects that stand in a text, whatever is around them; inner ones before those that hold them. */
export function objectsIn(text: string): JsonObject[] {
  const found: JsonObject[] = [];
  const starts: number[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (inString) {
      if (sign === "\\") at++;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = starts.length > 0;
    else if (sign === "{") starts.push(at);
    else if (sign === "}") {
      const value = parseJson(text.slice(starts.pop() ?? at, at + 1));
      if (isObject(value)) found.push(value);
    }
  }
  return found;
}

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
