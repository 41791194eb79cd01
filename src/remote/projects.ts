// One repository under one name on every machine: projects go by the address of their origin on the way to the server, and back by the local id.
import { existsSync } from "node:fs";
import path from "node:path";
import { gitFolderOf, projectOf, safeName } from "../home/index.ts";
import { readIfPossible, sha256 } from "../lib/index.ts";
import type { ChangeFrom, Store } from "../store/index.ts";

const IDENTITY_DIGITS = 12;

/** `git@host:a/b.git`, `ssh://git@host/a/b` and `https://host/a/b.git` are one. */
export function identityOfAddress(address: string) {
  const plain = address
    .trim()
    .replace(/^[a-z+]+:\/\//i, "")
    .replace(/^[^@/]*@/, "")
    .replace(/^([^/:]+):(?:\d+\/)?/, "$1/")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  const [host = "", ...rest] = plain.split("/");
  const whole = [host.toLowerCase(), ...rest.filter(Boolean)].join("/");
  return `${safeName(rest.at(-1) ?? host)}-${sha256(whole).slice(0, IDENTITY_DIGITS)}`;
}

/** Read from the file: no program of the repository is started. A repository without an address, or with a folder as one, has none. */
export function identityOfFolder(folder: string) {
  const common = gitFolderOf(folder);
  const config = common === undefined ? undefined : readIfPossible(path.join(common, "config"));
  const section = config === undefined ? undefined : /^\[remote "origin"\]([^[]*)/m.exec(config)?.[1];
  const address = section === undefined ? undefined : /^\s*url\s*=\s*(.+)$/m.exec(section)?.[1]?.trim();
  if (address === undefined || /^(file:|[./~]|[A-Za-z]:[\\/])/.test(address)) return undefined;
  return identityOfAddress(address);
}

export interface ProjectNames {
  outgoing(changes: readonly ChangeFrom[]): ChangeFrom[];
  incoming(changes: readonly ChangeFrom[]): ChangeFrom[];
  outgoingName(project: string): string;
  /** Names under which rows came before the repository was on this machine. */
  readonly arrived: readonly string[];
}

type ProjectStore = Pick<Store, "workFolders" | "projectIdentities" | "keepProjectIdentities">;

/** Folders of work that are on this machine: one of another machine may be named by what it sent. */
export const presentFolders = async (store: Pick<Store, "workFolders">) =>
  (await store.workFolders()).filter(
    ({ project, folder }) => existsSync(folder) && projectOf(folder).id === project,
  );

/** Looks at the folders of work that are on this machine, and keeps what it finds: the name stays when the folder goes. */
export async function projectNames(store: ProjectStore): Promise<ProjectNames> {
  const known = new Map((await store.projectIdentities()).map((one) => [one.project, one.identity]));
  const before = new Set(known.values());
  const found = (await presentFolders(store)).flatMap(({ project, folder }) => {
    const identity = identityOfFolder(folder);
    return identity === undefined || known.get(project) === identity ? [] : [{ project, identity }];
  });
  if (found.length > 0) await store.keepProjectIdentities(found);
  for (const { project, identity } of found) known.set(project, identity);
  const local = new Map([...known].map(([project, identity]) => [identity, project]));
  return {
    ...renaming(known, local),
    outgoingName: (project) => known.get(project) ?? project,
    arrived: found.map(({ identity }) => identity).filter((identity) => !before.has(identity)),
  };
}

function renaming(known: ReadonlyMap<string, string>, local: ReadonlyMap<string, string>) {
  const rename = (names: ReadonlyMap<string, string>) => {
    const hashes = new Map([...names].map(([from, to]) => [sha256(from), sha256(to)]));
    return (change: ChangeFrom): ChangeFrom => {
      if (change.kind === "withdrawn") return change;
      if (change.kind === "forgotten") {
        const projectHash = hashes.get(change.mark.projectHash ?? "");
        return projectHash === undefined ? change : { ...change, mark: { ...change.mark, projectHash } };
      }
      const project = names.get(change.row.project);
      return project === undefined ? change : ({ ...change, row: { ...change.row, project } } as ChangeFrom);
    };
  };
  return {
    outgoing: (changes: readonly ChangeFrom[]) => changes.map(rename(known)),
    incoming: (changes: readonly ChangeFrom[]) => changes.map(rename(local)),
  };
}
