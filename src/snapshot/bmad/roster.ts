// Who the agents of a BMad project are, and which of them was called last: by command, and never by guessing.
import path from "node:path";
import { defined, isObject, type JsonObject } from "../../lib/index.ts";
import type { Invocation } from "../workingState.ts";
import { at, listBmadFolder, readBmadText, wordsAt } from "./files.ts";

export interface Agent {
  /** `dev`, `bmad-agent-dev`. */
  readonly code: string;
  /** `Amelia`. */
  readonly name: string | undefined;
}

/** The fields of a line of CSV; quotes may hold commas and doubled quotes. */
function fieldsOf(line: string) {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    (quoted?.replaceAll('""', '"') ?? bare ?? "").trim(),
  );
}

function fromCsv(text: string | undefined, codeField: string): Agent[] {
  const [header = "", ...lines] = (text ?? "").split(/\r?\n/);
  const names = fieldsOf(header);
  const [code, shown] = [names.indexOf(codeField), names.indexOf("displayName")];
  if (code === -1) return [];
  return lines.flatMap((line) => {
    const fields = fieldsOf(line);
    const found = fields[code];
    return found ? [{ code: found, name: fields[shown] || undefined }] : [];
  });
}

/** Agents of the settings and manifests of BMad 6. */
export function rosterOf(base: string, config: JsonObject | undefined): Agent[] {
  const table = at(config, "agents");
  const configured = Object.entries(isObject(table) ? table : {}).map(([code, value]) => ({
    code,
    name: wordsAt(value, "name"),
  }));
  return [
    ...configured,
    ...["_config", "_cfg"].flatMap((folder) => [
      ...fromCsv(readBmadText(path.join(base, folder, "agent-manifest.csv")), "name"),
      ...fromCsv(readBmadText(path.join(base, folder, "skill-manifest.csv")), "canonicalId").filter(
        ({ code }) => /(^|-)agent(-|$)/.test(code),
      ),
    ]),
  ];
}

/** Agents of BMad 4: one file each. */
export function rosterOfFiles(folder: string): Agent[] {
  return listBmadFolder(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ code: name.slice(0, -".md".length), name: undefined }));
}

/** `BMad:agents:dev`, `bmad:bmm:agents:dev`, `bmad-agent-dev` and `dev` are all called dev. */
const shortOf = (name: string) =>
  (name.split(/[:/\\]/).at(-1) ?? name)
    .toLowerCase()
    .replace(/^bmad-(?:(?:bmm|core|bmb|cis|gds|agent)-)*/, "")
    .replace(/^agent-/, "")
    .replace(/\.md$/, "");

function speaksOfBmad({ name }: Invocation) {
  return /bmad/i.test(name) || /(^|[:/])agents[:/]/i.test(name);
}

interface CalledBmad {
  /** The agent that was called last; undefined unless it stands in the roster. */
  readonly agent?: string;
  /** What was asked last: of the agent, or by the command of a workflow. */
  readonly function?: string;
}

export function calledInBmad(roster: readonly Agent[], invocations: readonly Invocation[]): CalledBmad {
  // A later list may know an agent without its name.
  const named = roster.toSorted((a, b) => Number(b.name !== undefined) - Number(a.name !== undefined));
  const agentOf = (invocation: Invocation) => {
    // A bare name may be any command; an agent's own command must name the agent.
    const isBmad = speaksOfBmad(invocation) || roster.some(({ code }) => code === invocation.name);
    return isBmad ? named.find(({ code }) => shortOf(code) === shortOf(invocation.name)) : undefined;
  };
  const agent = invocations.toReversed().flatMap((one) => agentOf(one) ?? [])[0];
  const last = invocations.findLast((one) => speaksOfBmad(one) || agentOf(one) !== undefined);
  const isOfAgent = last !== undefined && last.args !== "" && agentOf(last) !== undefined;
  return defined({
    agent: agent && (agent.name === undefined ? agent.code : `${agent.code} (${agent.name})`),
    function: last && (isOfAgent ? last.args : `/${last.name} ${last.args}`.trim()),
  });
}
