// Small guards for values that came from outside.

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

/** A text that says something; undefined for an empty one and for anything else. */
export function givenText(value: unknown): string | undefined {
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
