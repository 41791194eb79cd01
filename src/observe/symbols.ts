// Which named things an edit touches: functions, types, tests, headings, by how most languages declare them.

export interface TouchedNames {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

const declared =
  /^[ \t]*(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|pub(?:\([^)]*\))?|unsafe)\s+)*(?:function\*?|class|interface|type|enum|struct|trait|def|fn|module|record|protocol|func(?:\s*\([^)]*\))?)\s+(?<name>[A-Za-z_$][\w$]*)/gm;
const constant = /^(?:export\s+)?(?:const|let|var|static)\s+(?<name>[A-Za-z_$][\w$]*)/gm;
const testName = /^\s*(?:it|test|describe)(?:\.\w+)?\(\s*(?<quote>["'`])(?<name>.{3,80}?)\k<quote>/gm;
const heading = /^#{1,4}\s+(?<name>\S.*)$/gm;

function namesIn(code: string, path: string): string[] {
  const patterns = /\.(md|mdx|markdown|rst|txt)$/i.test(path) ? [heading] : [declared, constant, testName];
  const names = patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ groups }) => groups?.name?.trim() ?? ""),
  );
  return [...new Set(names)].filter((name) => name.length > 1);
}

export function touchedNames(before: string, after: string, path: string): TouchedNames {
  const [old, now] = [namesIn(before, path), namesIn(after, path)];
  return {
    added: now.filter((name) => !old.includes(name)),
    removed: old.filter((name) => !now.includes(name)),
    changed: before === "" ? [] : now.filter((name) => old.includes(name)),
  };
}
