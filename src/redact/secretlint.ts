// A second opinion from the rules of secretlint, called one by one on a text.
//
// Its own runner is left aside: it keeps a performance entry for every rule and text for as long as the process lives,
// and it obeys "secretlint-disable" comments, which any captured text could carry.
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { Find, Finder } from "./found.ts";
import { isMadeUp } from "./tokens/madeUp.ts";

type Rule = (typeof rules)[number];
type RuleContext = Parameters<Rule["create"]>[0];
type RuleSource = Parameters<NonNullable<ReturnType<Rule["create"]>["file"]>>[0];

/** Rules that look at files, point beside the value, take any word for a key, or see what our own split more finely. */
const leftAside = /^(?:aws|gcp|basicauth|database-connection-string|filter-comments|slack|sendgrid)$/;
/** Messages whose range does not cover the value. */
const misplaced = new Set(["PackageJSON_xOauthToken", "Npmrc_authToken"]);

/** What the rules of version 12 need to see; a rule that is not listed here looks at every text. */
const landmarks: Readonly<Record<string, string>> = {
  npm: "npm_",
  openai: "sk-",
  anthropic: "sk-ant-",
  groq: "gsk_",
  huggingface: "hf_",
  linear: "lin_api_",
  notion: "ntn_",
  privatekey: "PRIVATE KEY-",
  shopify: "shppa_|shpca_|shpat_|shpss_",
  github: "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
  gitlab: "glpat-",
  grafana: "glc_|glsa_",
  "1password": "ops_",
  "hashicorp-vault": "hvs.|hvb.|hvr.",
  vercel: "vcp_|vci_|vca_|vcr_|vck_",
  databricks: "dapi",
  docker: "dckr_",
  figma: "figd_",
};

const nowhere = { line: 0, column: 0 };

function sourceOf(content: string): RuleSource {
  return {
    hasBOM: false,
    content,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: "text",
    ext: "",
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: () => [0, 0],
    rangeToLocation: () => ({ start: nowhere, end: nowhere }),
    positionToIndex: () => 0,
    indexToPosition: () => nowhere,
  };
}

function contextFor(kind: string, text: string, found: Find[]): RuleContext {
  return {
    sharedOptions: {},
    // The sentences are not read; the id tells the rules' reports apart.
    createTranslator: () => (messageId) => ({ message: "", messageId: String(messageId), data: {} }),
    ignore: () => undefined,
    report({ message, range: [start, end] }) {
      if (misplaced.has(message.messageId) || isMadeUp(text.slice(start, end), "")) return;
      found.push({ kind, start, end });
    },
  };
}

const ruleName = (rule: Rule) => rule.meta.id.replace("@secretlint/secretlint-rule-", "");

/** A function, so that a program that imports the library loads the rules with its first scan. */
export const secretlintFinders = (): readonly Finder[] =>
  rules
    .filter((rule) => !leftAside.test(ruleName(rule)))
    .map((rule) => ({
      name: `secretlint ${ruleName(rule)}`,
      landmarks: landmarks[ruleName(rule)] ?? "",
      scan(text) {
        const found: Find[] = [];
        void rule.create(contextFor(ruleName(rule), text, found), {}).file?.(sourceOf(text));
        return found;
      },
    }));
