// Project cards: name, folder and counts of each project.
import path from "node:path";
import { projectOf } from "../../home/index.ts";
import type { EventStore, OverviewStore, ProjectDigest } from "../../store/index.ts";
import type { ProjectCard } from "../wire.ts";

/** A project's id is its name and eight digits of a hash. */
export const projectName = (project: string) => project.replace(/-[0-9a-f]{8}$/, "");

/** The top of the working tree while the folder still belongs to the project; after that the folder as it was reported. */
function nameAndFolder({ project, folder }: ProjectDigest): Pick<ProjectCard, "name" | "folder"> {
  if (folder === undefined) return { name: projectName(project) };
  const { id, name, root } = projectOf(folder);
  return id === project ? { name, folder: root } : { name: projectName(project), folder };
}

/** Projects of one name are told apart by the folder above them, or else by their ids. */
function withUniqueNames(cards: readonly ProjectCard[]): ProjectCard[] {
  const namesakes = (name: string) => cards.filter((card) => card.name === name).length;
  const longer = cards.map(({ project, name, folder }) => {
    if (namesakes(name) === 1) return name;
    return folder === undefined ? project : `${path.basename(path.dirname(folder))}/${name}`;
  });
  return cards.map((card, at) => {
    const name = longer[at] ?? card.name;
    return { ...card, name: longer.filter((other) => other === name).length === 1 ? name : card.project };
  });
}

export async function projectCards(
  store: Pick<OverviewStore, "projectDigests">,
  isExcluded: (folder: string) => boolean,
): Promise<ProjectCard[]> {
  const digests = await store.projectDigests();
  const cards = digests.map((digest) => {
    const { folder: _, ...counts } = digest;
    const place = nameAndFolder(digest);
    return { ...counts, ...place, isExcluded: place.folder !== undefined && isExcluded(place.folder) };
  });
  return withUniqueNames(cards);
}

/** Where a project is worked on; undefined when that is not known, or the folder has become another project's. */
export async function workFolderOf(store: Pick<EventStore, "workFolders">, project: string) {
  const known = (await store.workFolders()).find((one) => one.project === project);
  return known && projectOf(known.folder).id === project ? known.folder : undefined;
}
