// The page of a replay: one HTML file without script or network access, fit to be shared, and its tables: every number of the totals, every session under every rule, and the source of each rule.
import { baselineName, type Policy } from "../policies.ts";
import type { PolicyTotal } from "../report.ts";
import type { Replayed } from "../run.ts";
import { costAndView, costBars, courseChart, moneyBars } from "./charts.ts";
import { bySession, heroOf, inOrder, kindClass, kindIn, type PageData, shareOf } from "./data.ts";
import { countOf, dollars, foreignName, html, large, Markup, percent, whole } from "./markup.ts";
import { style } from "./style.ts";

/** A table that is scrolled, also by keyboard, where it is wider than the page. */
function htmlTable(label: string, heads: readonly string[], rows: readonly Markup[], attribute = html``) {
  const cells = heads.map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${attribute}><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** The head of a column, the field that it shows, and how. */
type TableColumn<Field extends string> = readonly [
  head: string,
  field: Field,
  show: (value: number) => string,
];

const moneyColumns = [
  ["dollars", "dollars", dollars],
  ["prompt tokens", "promptTokens", large],
  ["cache read", "cacheRead", large],
  ["cache written", "cacheWritten", large],
] as const;

const countColumns = [
  ["compactions", "compactions", whole],
  ["cut on arrival", "cuts", whole],
  ["looked at", "looks", whole],
  ["recalls", "recalls", whole],
  ["in view", "retention", percent],
] as const;

/** A row for each policy, with the number behind every figure as its value. */
function policyTable<Field extends string>(
  label: string,
  columns: readonly TableColumn<Field>[],
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
  return htmlTable(label, ["rule", ...columns.map(([head]) => head)], lines, attribute);
}

function totalsTable({ totals, policies }: PageData) {
  const columns = [
    ["cost, never looked at", "neverRatio", percent],
    ["half", "ratio", percent],
    ["always", "alwaysRatio", percent],
    ["whole bill", "billRatio", percent],
    ["worst session", "worstRatio", percent],
    ...moneyColumns,
    ...countColumns,
  ] as const;
  const rows = totals.map((total) => ({
    ...total,
    neverRatio: total.lookedAt.never.ratio,
    alwaysRatio: total.lookedAt.always.ratio,
  }));
  return policyTable("totals of every rule", columns, rows, policies, html` id="totals"`);
}

function sessionTable(session: readonly Replayed[], policies: readonly Policy[]) {
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

function sessionHeat({ replayed, policies }: PageData) {
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
  return htmlTable("every session under every rule", ["session", ...names], rows, html` class="heat"`);
}

function whose({ kind, origin }: Policy) {
  if (kind === "ours") return "Throughline's own";
  if (!origin) return "a rule of thumb";
  const leftOut = origin.leftOut === undefined ? "" : ` · without ${origin.leftOut}`;
  return `${origin.who} · ${origin.source} · as of ${origin.asOf}${leftOut}`;
}

function rulesList({ policies }: PageData) {
  const rules = inOrder(policies, ({ name }) => name, policies).map(
    (policy) =>
      html`<dt class="name ${kindClass(policy.kind)}">${policy.name}</dt><dd>${policy.describe}<span class="soft">${whose(policy)}</span></dd>`,
  );
  return html`<dl class="rules">${rules}</dl>`;
}

function pricesTable({ models, ttl }: PageData) {
  const rows = models.flatMap(({ id, prices }) =>
    prices.map((price) => {
      const name = price.above === 0 ? id : `${id} above ${whole(price.above)} tokens`;
      const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = price;
      const amounts = [input, cacheRead, ttl === "5m" ? cacheWrite5m : cacheWrite1h, output];
      return html`<tr><th scope="row" class="name">${foreignName(name)}</th>${amounts.map((amount) => html`<td>$${amount}</td>`)}</tr>`;
    }),
  );
  const heads = ["dollars a million tokens", "input", "cache read", `cache write, ${ttl}`, "output"];
  return htmlTable("prices", heads, rows);
}

/** How a page of ours begins; a file that does not is not written over. */
export const pageBeginning = "<!doctype html>\n<!-- throughline replay -->";

/** More sessions than this are in the tables, and only the dearest have a part of their own. */
const MOST_PARTS = 150;

export function replayPage(data: PageData) {
  const sessions = new Set(data.replayed.map(({ result }) => result.session)).size;
  const title = `What ${sessions === 1 ? "one session" : countOf(sessions, "session")} would have cost`;
  const body = html`<main>${pageHeader(data, title)}${overview(data)}${sessionParts(data)}${background(data)}${footer(data)}</main>`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  const page = html`
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Markup(style)}</style></head>
<body>${body}</body></html>
`;
  return pageBeginning + page.text;
}

function pageHeader(data: PageData, title: string) {
  const requests = data.totals[0]?.requests ?? 0;
  const models = [...new Set(data.replayed.map(({ result }) => result.model))].join(", ");
  const asked = data.asked.map((line) => html` · ${line}`);
  return html`<header><p class="mark">Throughline · replay</p><h1>${title}</h1><p class="soft">${countOf(requests, "recorded request")} of ${models}, sent again under ${countOf(data.policies.length, "rule")}. Prompt cache of ${data.ttl} · prices of ${data.pricesAsOf}${asked} · made on ${data.madeOn}</p>${tiles(data)}</header>`;
}

function tile(figure: string, words: string, isFirst = false) {
  return html`<div class="tile${isFirst ? " first" : ""}"><b>${figure}</b><span>${words}</span></div>`;
}

const change = (ratio: number, less: string, more: string) =>
  ratio <= 1 ? `${((1 - ratio) * 100).toFixed(1)} % ${less}` : `${((ratio - 1) * 100).toFixed(1)} % ${more}`;

function tiles(data: PageData) {
  const base = data.totals.find(({ policy }) => policy === baselineName);
  const hero = heroOf(data);
  if (!base || !hero || hero.ratio === undefined) return html``;
  return html`<div class="tiles">${[
    tile(change(hero.ratio, "less", "more"), heroWords(hero), true),
    tile(
      savedWords(base.dollars - hero.dollars),
      `on all prompts: ${dollars(base.dollars)} → ${dollars(hero.dollars)}, with system prompt and tools, which no rule can change`,
    ),
    tile(`${whole(base.compactions)} → ${whole(hero.compactions)}`, compactionWords(hero)),
    tile(
      percent(hero.retention),
      `of needed names and lines in view, ${percent(base.retention)} with ${base.policy}; ${countOf(hero.recalls, "recall")} charged`,
    ),
  ]}</div>`;
}

/** The headline is about half; the other two rates stand beside it. */
function heroWords({ policy, lookedAt }: PolicyTotal) {
  const cost = `${policy} against sending everything, recalls paid`;
  return `${cost}, half of what it cut looked at; never: ${percent(lookedAt.never.ratio)} of the cost, always: ${percent(lookedAt.always.ratio)}`;
}

const savedWords = (saved: number) => (saved >= 0 ? `${dollars(saved)} less` : `${dollars(-saved)} more`);

function compactionWords({ policy }: PolicyTotal) {
  return policy === "thrifty" ? "compactions; those of thrifty need no model" : "compactions";
}

function overview(data: PageData) {
  return html`
<section><h2>What each rule costs</h2><figure>${costBars(data)}<figcaption>Cost of the conversation as a share of <span class="name">${baselineName}</span>, which sends everything and compacts when the window is nearly full. Summary calls and recalls are charged in full; system prompt, tools and recorded answers, which every rule pays alike, are left out on both sides.</figcaption></figure></section>
<section><h2>What is cheap must also be there</h2><figure>${costAndView(data)}<figcaption>A rule that hides things is cheap until they are needed. <em>In view</em> is the share of identifiers (14 characters and more) and lines of edits that a recorded call used, that were known before, and that the window still showed. What was not in view costs a recall: one whole request and the lines around it.</figcaption></figure></section>
<section><h2>Where the money goes</h2><figure>${moneyBars(data)}<figcaption>All prompts, system prompt and tools included. A prompt's unchanged beginning is read from the cache while it is warm (${data.ttl} from the start of the last request, with the gaps that really passed); the rest is written. Editing old content breaks the beginning: that is why showing less can cost more.</figcaption></figure></section>
<section><h2>All numbers</h2><div class="panel">${totalsTable(data)}<p class="note"><em>Cost</em> as above, by how much of what a rule cut on arrival the model looks at: never, half or always; all other numbers are those of half. <em>Whole bill</em> with system prompt, tools, responses, subagents and the tools that Throughline adds; <em>worst session</em> is the highest cost of one. Tokens are scaled to the totals that the API reported for each request; what a rule changed is estimated on the same scale.</p></div></section>`;
}

function sessionParts(data: PageData) {
  const sessions = [...bySession(data.replayed)];
  const weight = ([, session]: (typeof sessions)[number]) => session[0]?.result.dollars ?? 0;
  const shown = new Set(sessions.toSorted((a, b) => weight(b) - weight(a)).slice(0, MOST_PARTS));
  const parts = sessions
    .filter((one) => shown.has(one))
    .map(([name, session], index) => sessionPart(name, session, data, index === 0));
  const more =
    sessions.length > shown.size
      ? html`<p class="note">The ${whole(MOST_PARTS)} dearest of ${countOf(sessions.length, "session")}.</p>`
      : html``;
  return html`
<section><h2>Every session</h2><div class="panel">${sessionHeat(data)}<p class="note">Cost of each session in percent of <span class="name">${baselineName}</span> on the same session; below 100 is less.</p></div></section>
<section><h2>One by one</h2>${more}${parts}</section>`;
}

function sessionPart(name: string, session: readonly Replayed[], data: PageData, isOpen: boolean) {
  const base = session.find(({ result }) => result.policy === baselineName) ?? session[0];
  if (!base) return html``;
  const hero = session.find(({ result }) => result.policy === heroOf(data)?.policy);
  const share = hero && shareOf(hero, session);
  const about = `${countOf(base.result.requests, "request")}, ${base.result.model}, ${dollars(base.result.dollars)}`;
  const open = new Markup(isOpen ? " open" : "");
  return html`<details data-session="${name}"${open}><summary><h3 class="name">${foreignName(name)}</h3><span class="soft about">${about}</span><span class="chip">${percent(share)}</span></summary><div class="inside">${courseChart(base, hero)}<div class="panel">${sessionTable(session, data.policies)}</div></div></details>`;
}

function background(data: PageData) {
  const left = data.leftOut.map(
    ({ file, reason }) => html`<li>${foreignName(file)}: ${foreignName(reason)}</li>`,
  );
  return html`
<section><h2>Whose rules these are</h2><div class="panel">${rulesList(data)}<p class="note">Throughline's rules run the program itself. The others are emulations of rules that are written down exactly enough to be repeated; no other program was run, and each does more than its rule for the window. Where a rule leaves something open, it is taken as its program would have it.</p></div></section>
<section><h2>What was assumed</h2><ol>${data.assumptions.map((line) => html`<li>${line}</li>`)}</ol><div class="panel">${pricesTable(data)}<p class="note">Prices of ${data.pricesAsOf}.</p></div></section>
${left.length === 0 ? html`` : html`<section><h2>Left out</h2><ul>${left}</ul></section>`}`;
}

function footer({ version, madeOn }: PageData) {
  return html`<footer class="soft">Made by <code>throughline replay --html</code>, version ${version}, on ${madeOn}. This file is whole: it loads nothing and runs nothing. It names sessions by their files; look before you pass it on.</footer>`;
}
