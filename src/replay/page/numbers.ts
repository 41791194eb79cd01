// Numbers as the page writes them, and as a program can read them back from it.
import { html, type Markup } from "./markup.ts";

export const percent = (share: number | undefined): string =>
  share === undefined ? "–" : `${(share * 100).toFixed(1)} %`;

export const dollars = (amount: number): string =>
  `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const whole = (count: number): string => Math.round(count).toLocaleString("en-US");

const units = [
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** 334.7 M, 1.5 M, 920. */
export function large(count: number): string {
  const [size, unit] = units.find(([least]) => count >= least) ?? [1, ""];
  return unit === "" ? whole(count) : `${(count / size).toFixed(1)} ${unit}`;
}

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;

/** A number as it is read, with the number as it is. */
export function figure(name: string, value: number | undefined, shown: string): Markup {
  if (value === undefined) return html`<td>${shown}</td>`;
  return html`<td><data data-name="${name}" value="${value}">${shown}</data></td>`;
}
