// What a model is told about memories: the four types, what is not saved, how to save, when to read, and what to check first.
import type { Language } from "../../home/index.ts";
import { type MemoryType, memoryTypes } from "../folder/model.ts";
import { trustSection } from "../truth/notes.ts";
import { instructionsWords, type TypeDefinition } from "./instructionsWords.ts";

/** Options of `memoryInstructions`. */
export interface MemoryInstructionsOptions {
  /** Of the sentences; marks, headings of the form and field names are the same in every language. */
  readonly language?: Language;
  /** Where the memories lie. */
  readonly folder?: string;
  /** `log`: entries are appended to a file of the day, and the index is left alone. */
  readonly mode?: "memory" | "log";
}

const element = (name: string, content: string) =>
  content.includes("\n") ? `<${name}>\n${content}\n</${name}>` : `<${name}>${content}</${name}>`;

function typeElement(type: MemoryType, definition: TypeDefinition) {
  const { description, whenToSave, howToUse, body, examples } = definition;
  return element(
    "type",
    [
      element("name", type),
      element("description", description),
      element("when_to_save", whenToSave),
      element("how_to_use", howToUse),
      ...(body === undefined ? [] : [element("body_structure", body)]),
      element("examples", examples.join("\n")),
    ].join("\n"),
  );
}

/** What each type is for, when it is saved and how it is used, with examples. */
export function memoryTypeDefinitions(
  language: Language = "en",
): Readonly<Record<MemoryType, TypeDefinition>> {
  return instructionsWords[language].types;
}

/**
 * A system prompt's part about memories. The check before recommending is a section of its own: models follow it there,
 * and do not as a point of another.
 */
export function memoryInstructions({
  language = "en",
  folder = "the memory folder",
  mode = "memory",
}: MemoryInstructionsOptions = {}) {
  const words = instructionsWords[language];
  const types = memoryTypes.map((type) => typeElement(type, words.types[type]));
  const section = ({ title, text }: { readonly title: string; readonly text: string }) =>
    `## ${title}\n\n${text.replaceAll("FOLDER", folder)}`;
  return [
    `# ${words.title}\n\n${words.introduction.replaceAll("FOLDER", folder)}`,
    `${section(words.typesOfMemory)}\n\n${element("types", types.join("\n"))}`,
    section(words.notSaved),
    section(mode === "log" ? words.appending : words.saving),
    section(words.concrete),
    section(words.reading),
    trustSection(language).trim(),
  ].join("\n\n");
}
