// The tables: every number of the totals, every session under every rule, and whose the rules are.
import { baselineName, type Policy } from "../policy.ts";
import type { Replayed } from "../run.ts";
import { bySession, inOrder, kindClass, kindIn, type PageData, shareOf } from "./data.ts";
import { dollars, foreignName, html, large, type Markup, percent, whole } from "./markup.ts";

/** A table that is scrolled, also by keyboard, where it is wider than the page. */
function table(label: string, heads: readonly string[], rows: readonly Markup[], attribute = html``) {
  const cells = heads.map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${attribute}><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** The head of a column, the field that it shows, and how. */
type Column<Field extends string> = readonly [head: string, field: Field, show: (value: number) => string];

const moneyColumns = [
  ["dollars", "dollars", dollars],
  ["prompt tokens", "promptTokens", large],
  ["cache read", "cacheRead", large],
  ["cache written", "cacheWritten", large],
] as const;

const countColumns = [
  ["compactions", "compactions", whole],
  ["recalls", "recalls", whole],
  ["in view", "retention", percent],
] as const;

/** A row for each policy, with the number behind every figure as its value. */
function policyTable<Field extends string>(
  label: string,
  columns: readonly Column<Field>[],
  rows: readonly ({ readonly policy: string } & { readonly [F in Field]?: number | undefined })[],
  policies: readonly Policy[],
  attribute?: Markup,
) {
  const lines = inOrder(rows, ({ policy }) => policy, policies).map((row) => {
    const figures = columns.map(([, field, show]) => {
      const value: number | undefined = row[field];
      if (value === undefined) return html`<td>–</td>`;
      return html`<td><data data-name="${field}" value="${value}">${show(value)}</data></td>`;
    });
    return html`<tr class="${kindIn(policies, row.policy)}" data-policy="${row.policy}"><th scope="row" class="name">${row.policy}</th>${figures}</tr>`;
  });
  return table(label, ["rule", ...columns.map(([head]) => head)], lines, attribute);
}

export function totalsTable({ totals, policies }: PageData): Markup {
  const columns = [
    ["cost", "ratio", percent],
    ["whole bill", "billRatio", percent],
    ["worst session", "worstRatio", percent],
    ...moneyColumns,
    ...countColumns,
  ] as const;
  return policyTable("totals of every rule", columns, totals, policies, html` id="totals"`);
}

export function sessionTable(session: readonly Replayed[], policies: readonly Policy[]): Markup {
  const rows = session.map((one) => ({ ...one.result, share: shareOf(one, session) }));
  const largest = ["largest prompt", "largestPrompt", large] as const;
  const columns = [["cost", "share", percent], ...moneyColumns, largest, ...countColumns] as const;
  return policyTable("the session under every rule", columns, rows, policies);
}

/** Stronger the further it is from the baseline, either way. */
function shade(share: number) {
  const strength = Math.min(0.6, Math.abs(1 - share) * 0.9);
  return `background:rgba(var(--${share <= 1 ? "good" : "bad"}),${strength.toFixed(2)})`;
}

export function sessionHeat({ replayed, policies }: PageData) {
  const ordered = inOrder(policies, ({ name }) => name, policies);
  const names = ordered.map(({ name }) => name).filter((name) => name !== baselineName);
  const rows = [...bySession(replayed)].map(([name, session]) => {
    const cells = names.map((policy) => {
      const one = session.find(({ result }) => result.policy === policy);
      const share = one && shareOf(one, session);
      return share === undefined
        ? html`<td>–</td>`
        : html`<td style="${shade(share)}">${(share * 100).toFixed(0)}</td>`;
    });
    return html`<tr><th scope="row" class="name" title="${name}">${foreignName(name)}</th>${cells}</tr>`;
  });
  return table("every session under every rule", ["session", ...names], rows, html` class="heat"`);
}

function whose({ kind, origin }: Policy) {
  if (kind === "ours") return "Throughline's own";
  if (!origin) return "a rule of thumb";
  const leftOut = origin.leftOut === undefined ? "" : ` · without ${origin.leftOut}`;
  return `${origin.who} · ${origin.source} · as of ${origin.asOf}${leftOut}`;
}

export function rulesList({ policies }: PageData) {
  const rules = inOrder(policies, ({ name }) => name, policies).map(
    (policy) =>
      html`<dt class="name ${kindClass(policy.kind)}">${policy.name}</dt><dd>${policy.describe}<span class="soft">${whose(policy)}</span></dd>`,
  );
  return html`<dl class="rules">${rules}</dl>`;
}

export function pricesTable({ models, ttl }: PageData) {
  const rows = models.flatMap(({ id, prices }) =>
    prices.map((price) => {
      const name = price.above === 0 ? id : `${id} above ${whole(price.above)} tokens`;
      const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = price;
      const amounts = [input, cacheRead, ttl === "5m" ? cacheWrite5m : cacheWrite1h, output];
      return html`<tr><th scope="row" class="name">${foreignName(name)}</th>${amounts.map((amount) => html`<td>$${amount}</td>`)}</tr>`;
    }),
  );
  const heads = ["dollars a million tokens", "input", "cache read", `cache write, ${ttl}`, "output"];
  return table("prices", heads, rows);
}
