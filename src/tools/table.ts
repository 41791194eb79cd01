// The tools that a model has, each with its words, its schemas and who answers it: one table for every door.
import type { z } from "zod";
import { inputs, outputs } from "./schemas.ts";
import {
  important,
  observationsOf,
  recallText,
  saveMemory,
  searchFor,
  snipOrList,
  type ToolContext,
  timelineAround,
  unsnip,
} from "./tools.ts";
import { descriptions } from "./words.ts";

interface ToolAnswer {
  readonly text: string;
  readonly data: Record<string, unknown>;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** It changes nothing. */
  readonly isReading: boolean;
  /** A model is shown it without having looked for it. */
  readonly isAlwaysShown: boolean;
  /** Throws where it cannot be answered, also for an input that is none. */
  answer(around: ToolContext, input: unknown): ToolAnswer | Promise<ToolAnswer>;
}

const reading = { isReading: true, isAlwaysShown: false };
const writing = { isReading: false, isAlwaysShown: false };

export const tools: readonly Tool[] = [
  {
    ...reading,
    name: "__IMPORTANT",
    description: descriptions.important,
    input: inputs.nothing,
    output: outputs.workflow,
    isAlwaysShown: true,
    answer: () => important(),
  },
  {
    ...reading,
    name: "search",
    description: descriptions.search,
    input: inputs.search,
    output: outputs.search,
    isAlwaysShown: true,
    answer: (around, input) => searchFor(around, inputs.search.parse(input)),
  },
  {
    ...reading,
    name: "timeline",
    description: descriptions.timeline,
    input: inputs.timeline,
    output: outputs.timeline,
    answer: (around, input) => timelineAround(around, inputs.timeline.parse(input)),
  },
  {
    ...reading,
    name: "get_observations",
    description: descriptions.get_observations,
    input: inputs.observations,
    output: outputs.observations,
    answer: (around, input) => observationsOf(around, inputs.observations.parse(input)),
  },
  {
    ...writing,
    name: "save_memory",
    description: descriptions.save_memory,
    input: inputs.memory,
    output: outputs.memory,
    answer: (around, input) => saveMemory(around, inputs.memory.parse(input)),
  },
  {
    ...reading,
    name: "recall",
    description: descriptions.recall,
    input: inputs.recall,
    output: outputs.recall,
    answer: (around, input) => recallText(around, inputs.recall.parse(input)),
  },
  {
    ...writing,
    name: "snip",
    description: descriptions.snip,
    input: inputs.snip,
    output: outputs.snip,
    answer: (around, input) => snipOrList(around, inputs.snip.parse(input)),
  },
  {
    ...writing,
    name: "unsnip",
    description: descriptions.unsnip,
    input: inputs.unsnip,
    output: outputs.snip,
    answer: (around, input) => unsnip(around, inputs.unsnip.parse(input)),
  },
];
