// How a way of working tells where a project stands: the seam for BMad and whatever comes beside it.
import type { Invocation } from "./workingState.ts";

/** What the files of a method say, and nothing they do not. */
export interface ProjectState {
  /** The method's name and version, as a person would say it. */
  readonly method: string;
  /** The agent that is active, by its name in the method; undefined when nothing proves one. */
  readonly agent?: string;
  /** What the agent was asked to do. */
  readonly function?: string;
  readonly story?: string;
  /** What the method's own rules say comes next. */
  readonly next: readonly string[];
  /** Files the state was read from or that describe the story, relative to the project. */
  readonly files: readonly string[];
  /** Contradictions and gaps that a reader should know of. */
  readonly notes: readonly string[];
}

export interface ProjectStateContext {
  readonly project: string;
  /** In the order in which they were called. */
  readonly invocations: readonly Invocation[];
}

/** Reads files and never throws for what stands in them; undefined where its method is not used. */
export interface ProjectStateReader {
  readonly name: string;
  read(context: ProjectStateContext): Promise<ProjectState | undefined>;
}

/** The state that the first reader finds. */
export async function readProjectState(readers: readonly ProjectStateReader[], context: ProjectStateContext) {
  for (const reader of readers) {
    const state = await reader.read(context);
    if (state) return state;
  }
  return undefined;
}

export const projectStateReaders: readonly ProjectStateReader[] = [
  {
    name: "bmad",
    read: async (context) => (await import("./bmad/index.ts")).bmadReader.read(context),
  },
];
