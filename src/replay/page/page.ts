// The page of a replay: one HTML file without script or network access, fit to be shared.
import { baselineName } from "../policy.ts";
import type { PolicyTotal } from "../report.ts";
import type { Replayed } from "../run.ts";
import { costAndView, costBars, courseChart, moneyBars } from "./charts.ts";
import { bySession, heroOf, type PageData, shareOf } from "./data.ts";
import { countOf, dollars, foreignName, html, Markup, percent, whole } from "./markup.ts";
import { style } from "./style.ts";
import { pricesTable, rulesList, sessionHeat, sessionTable, totalsTable } from "./tables.ts";

/** How a page of ours begins; a file that does not is not written over. */
export const pageBeginning = "<!doctype html>\n<!-- throughline replay -->";

/** More sessions than this are in the tables, and only the dearest have a part of their own. */
const MOST_PARTS = 150;

export function replayPage(data: PageData): string {
  const sessions = new Set(data.replayed.map(({ result }) => result.session)).size;
  const title = `What ${sessions === 1 ? "one session" : countOf(sessions, "session")} would have cost`;
  const body = html`<main>${header(data, title)}${overview(data)}${sessionParts(data)}${background(data)}${footer(data)}</main>`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  const page = html`
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Markup(style)}</style></head>
<body>${body}</body></html>
`;
  return pageBeginning + page.text;
}

function header(data: PageData, title: string) {
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
    tile(change(hero.ratio, "less", "more"), `${hero.policy} against sending everything, recalls paid`, true),
    tile(
      savedWords(base.dollars - hero.dollars),
      `on the whole bill: ${dollars(base.dollars)} → ${dollars(hero.dollars)}, with system prompt and tools, which no rule can change`,
    ),
    tile(`${whole(base.compactions)} → ${whole(hero.compactions)}`, compactionWords(hero)),
    tile(
      percent(hero.retention),
      `of needed names and lines in view, ${percent(base.retention)} with ${base.policy}; ${countOf(hero.recalls, "recall")} charged`,
    ),
  ]}</div>`;
}

const savedWords = (saved: number) => (saved >= 0 ? `${dollars(saved)} less` : `${dollars(-saved)} more`);

function compactionWords({ policy }: PolicyTotal): string {
  return policy === "thrifty" ? "compactions; those of thrifty need no model" : "compactions";
}

function overview(data: PageData) {
  return html`
<section><h2>What each rule costs</h2><figure>${costBars(data)}<figcaption>Cost of the conversation as a share of <span class="name">${baselineName}</span>, which sends everything and compacts when the window is nearly full. Summary calls and recalls are charged in full; system prompt, tools and recorded answers, which every rule pays alike, are left out on both sides.</figcaption></figure></section>
<section><h2>What is cheap must also be there</h2><figure>${costAndView(data)}<figcaption>A rule that hides things is cheap until they are needed. <em>In view</em> is the share of identifiers (14 characters and more) and lines of edits that a recorded call used, that were known before, and that the window still showed. What was not in view costs a recall: one whole request and the lines around it.</figcaption></figure></section>
<section><h2>Where the money goes</h2><figure>${moneyBars(data)}<figcaption>The whole bill, system prompt and tools included. A prompt's unchanged beginning is read from the cache while it is warm (${data.ttl} from the start of the last request, with the gaps that really passed); the rest is written. Editing old content breaks the beginning: that is why showing less can cost more.</figcaption></figure></section>
<section><h2>All numbers</h2><div class="panel">${totalsTable(data)}<p class="note"><em>Cost</em> as above; <em>whole bill</em> with system prompt and tools; <em>worst session</em> is the highest cost of one. Tokens are scaled to the totals that the API reported for each request; what a rule changed is estimated on the same scale.</p></div></section>`;
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
