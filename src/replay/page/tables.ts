// The tables: every number of the totals, every session under every rule, and whose the rules are.
import { baselineName, type Policy } from "../policy.ts";
import type { PolicyTotal } from "../report.ts";
import type { Replayed } from "../run.ts";
import { bySession, inOrder, kindClass, type PageData, shareOf } from "./data.ts";
import { dollars, figure, foreignName, html, large, type Markup, percent, whole } from "./markup.ts";

const kindIn = (policies: readonly Policy[], name: string) =>
  kindClass(policies.find((policy) => policy.name === name)?.kind);

/** A table that is scrolled, also by keyboard, where it is wider than the page. */
function scrolled(label: string, table: Markup) {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`;
}

const heads = (...names: string[]) => names.map((name) => html`<th scope="col">${name}</th>`);

export function totalsTable({ totals, policies }: PageData) {
  const row = (total: PolicyTotal) =>
    html`<tr class="${kindIn(policies, total.policy)}" data-policy="${total.policy}"><th scope="row" class="name">${total.policy}</th>${figure("ratio", total.ratio, percent(total.ratio))}${figure("billRatio", total.billRatio, percent(total.billRatio))}${figure("worstRatio", total.worstRatio, percent(total.worstRatio))}${figure("dollars", total.dollars, dollars(total.dollars))}${figure("promptTokens", total.promptTokens, large(total.promptTokens))}${figure("cacheRead", total.cacheRead, large(total.cacheRead))}${figure("cacheWritten", total.cacheWritten, large(total.cacheWritten))}${figure("compactions", total.compactions, whole(total.compactions))}${figure("recalls", total.recalls, whole(total.recalls))}${figure("retention", total.retention, percent(total.retention))}</tr>`;
  return scrolled(
    "totals of every rule",
    html`<table id="totals"><thead><tr>${heads("rule", "cost", "whole bill", "worst session", "dollars", "prompt tokens", "cache read", "cache written", "compactions", "recalls", "in view")}</tr></thead><tbody>${inOrder(totals, ({ policy }) => policy, policies).map(row)}</tbody></table>`,
  );
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
  return scrolled(
    "every session under every rule",
    html`<table class="heat"><thead><tr>${heads("session", ...names)}</tr></thead><tbody>${rows}</tbody></table>`,
  );
}

export function sessionTable(session: readonly Replayed[], policies: readonly Policy[]) {
  const rows = inOrder(session, ({ result }) => result.policy, policies).map((one) => {
    const { result } = one;
    const share = shareOf(one, session);
    return html`<tr class="${kindIn(policies, result.policy)}" data-policy="${result.policy}"><th scope="row" class="name">${result.policy}</th>${figure("share", share, percent(share))}${figure("dollars", result.dollars, dollars(result.dollars))}${figure("promptTokens", result.promptTokens, large(result.promptTokens))}${figure("cacheRead", result.cacheRead, large(result.cacheRead))}${figure("cacheWritten", result.cacheWritten, large(result.cacheWritten))}${figure("largestPrompt", result.largestPrompt, large(result.largestPrompt))}${figure("compactions", result.compactions, whole(result.compactions))}${figure("recalls", result.recalls, whole(result.recalls))}${figure("retention", result.retention, percent(result.retention))}</tr>`;
  });
  return scrolled(
    "the session under every rule",
    html`<table><thead><tr>${heads("rule", "cost", "dollars", "prompt tokens", "cache read", "cache written", "largest prompt", "compactions", "recalls", "in view")}</tr></thead><tbody>${rows}</tbody></table>`,
  );
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
      const money = (amount: number) => html`<td>$${amount}</td>`;
      return html`<tr><th scope="row" class="name">${foreignName(name)}</th>${money(price.input)}${money(price.cacheRead)}${money(ttl === "5m" ? price.cacheWrite5m : price.cacheWrite1h)}${money(price.output)}</tr>`;
    }),
  );
  return scrolled(
    "prices",
    html`<table><thead><tr>${heads("dollars a million tokens", "input", "cache read", `cache write, ${ttl}`, "output")}</tr></thead><tbody>${rows}</tbody></table>`,
  );
}
