// Which control fits a setting, read off what is allowed there; and what was typed, as the value it stands for.

export type Control =
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "switch" }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly least?: number; readonly most?: number }
  | { readonly kind: "list" }
  | { readonly kind: "text" }
  | { readonly kind: "json" };

/** `allowed` is in words, such as `en | zh` or `a whole number from 0`. What is not known is edited as JSON. */
export function controlFor(allowed: string): Control {
  if (allowed === "true or false") return { kind: "switch" };
  if (/^[\w.-]+( \| [\w.-]+)+$/.test(allowed)) return { kind: "choice", choices: allowed.split(" | ") };
  const number = /^a (whole )?number(?: from (-?[\d.]+))?(?: to (-?[\d.]+))?$/.exec(allowed);
  if (number !== null) {
    const [, whole, least, most] = number;
    return {
      kind: "number",
      isWhole: whole !== undefined,
      ...(least === undefined ? {} : { least: Number(least) }),
      ...(most === undefined ? {} : { most: Number(most) }),
    };
  }
  if (/^a list of text/.test(allowed)) return { kind: "list" };
  return /^text/.test(allowed) ? { kind: "text" } : { kind: "json" };
}

/** As it stands in its field. */
export function textOf(value: unknown, { kind }: Control): string {
  if (kind === "list" && Array.isArray(value)) return value.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Undefined for what cannot be a value at all; whether it is allowed, the worker says. */
export function valueFrom(text: string, { kind }: Control): unknown {
  if (kind === "text" || kind === "choice") return text;
  if (kind === "list")
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `vault.maxBytes` belongs to `vault`; what has no group is general. */
export function groupOf(key: string): string {
  return key.includes(".") ? key.slice(0, key.indexOf(".")) : "general";
}
