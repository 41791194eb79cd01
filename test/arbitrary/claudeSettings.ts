// Settings files of Claude Code as people and programs leave them: any layout, other hooks, comments, odd bytes.
import fc from "fast-check";

type Settings = Record<string, unknown>;

const word = fc.constantFrom("lint", "发布", "naïve", "emoji 🧵", "a\\b", 'quo"te', "x");

const command = fc.record(
  {
    type: fc.constant("command"),
    command: fc.constantFrom("node lint.mjs", "/usr/bin/env", "C:\\tools\\log.exe", "echo 你好"),
    args: fc.array(word, { maxLength: 2 }),
    timeout: fc.integer({ min: 1, max: 60 }),
  },
  { requiredKeys: ["type", "command"] },
);

const group = fc.record(
  { matcher: fc.constantFrom("*", "Bash", "Edit|Write", ""), hooks: fc.array(command, { maxLength: 3 }) },
  { requiredKeys: ["hooks"] },
);

const event = fc.constantFrom(
  "SessionStart",
  "PostToolUse",
  "Stop",
  "PreToolUse",
  "SessionEnd",
  "Notification",
);

/** What a settings file can say, our own entries aside. */
const settingsValue: fc.Arbitrary<Settings> = fc.record(
  {
    $schema: fc.constant("https://example.com/settings.json"),
    model: word,
    permissions: fc.record({ allow: fc.array(word, { maxLength: 3 }), deny: fc.constant([]) }),
    env: fc.dictionary(fc.constantFrom("A", "PATH_EXTRA", "ÜMLAUT"), word, { maxKeys: 3 }),
    hooks: fc.dictionary(event, fc.array(group, { maxLength: 3 }), { maxKeys: 4 }),
    enabledPlugins: fc.constant({ "other@market": true }),
    deep: fc.constant({ list: [[1, [2, {}]], {}, []] }),
  },
  { requiredKeys: [] },
);

interface Layout {
  readonly indent: string | number | undefined;
  readonly eol: "\n" | "\r\n";
  readonly mark: boolean;
  readonly lastLine: "" | "\n" | "\n\n";
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  /** Room inside brackets that hold nothing. */
  readonly hollow: "" | " " | "\n";
}

const layout: fc.Arbitrary<Layout> = fc.record({
  indent: fc.constantFrom<Layout["indent"][]>(2, 4, "\t", 1, undefined),
  eol: fc.constantFrom("\n", "\r\n"),
  mark: fc.boolean(),
  lastLine: fc.constantFrom("", "\n", "\n\n"),
  comments: fc.boolean(),
  trailingCommas: fc.boolean(),
  hollow: fc.constantFrom("", " ", "\n"),
});

/** The text of a value in a layout. Comments go where lines end, so they need lines. */
function settingsText(value: Settings, style: Layout): string {
  let text = JSON.stringify(value, null, style.indent);
  text = text.replace(/(?<=[:[ ,\n])(\{\}|\[\])/g, ([open, close]) => `${open}${style.hollow}${close}`);
  if (style.indent !== undefined) {
    if (style.trailingCommas) text = text.replace(/(?<=["\d\]}el])\n(\s*)(?=[}\]])/g, ",\n$1");
    if (style.comments) text = text.replace(/([,[{])\n/g, "$1 // why\n").replace(/^/, "/* ours */\n");
  }
  return (style.mark ? "\uFEFF" : "") + (text + style.lastLine).replaceAll("\n", style.eol);
}

/** Texts of settings files; also the few that hold nothing at all. */
export const anySettings: fc.Arbitrary<{ value: Settings; text: string }> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(settingsValue, layout)
      .map(([value, style]) => ({ value, text: settingsText(value, style) })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("", "\n", "{}", "{}\n", "{ }", "{\r\n}\r\n")
      .map((text) => ({ value: {}, text })),
  },
);
