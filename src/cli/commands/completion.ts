// `throughline completion`: the words of every command for a shell, made from the definitions that commands run by.

import { usageError } from "../../lib/index.ts";
import { type Command, defineCommand, type Group, operand } from "../command.ts";

interface Completed {
  /** The command as typed, without the program; empty for the program itself. */
  readonly path: string;
  readonly summary: string;
  /** What may follow: commands of a group, flags of a command. */
  readonly words: readonly string[];
}

const flagsOf = ({ args }: Command) =>
  Object.entries(args).flatMap(([name, { kind }]) => (kind === "operand" ? [] : [`--${name}`]));

async function wordsBelow(group: Group, path: readonly string[], summary: string): Promise<Completed[]> {
  const found: Completed[] = [{ path: path.join(" "), summary, words: Object.keys(group.commands) }];
  for (const [name, entry] of Object.entries(group.commands)) {
    const command = await entry.load();
    const own = [...path, name];
    if (command.kind === "group") found.push(...(await wordsBelow(command, own, entry.summary)));
    else found.push({ path: own.join(" "), summary: entry.summary, words: flagsOf(command) });
  }
  return found;
}

/** The branches of a `case` on what was typed, the longest command first; `take` is what a branch does with its words. */
const branches = (all: readonly Completed[], take: (words: string) => string) =>
  [...all]
    .sort((one, other) => other.path.length - one.path.length)
    .map(
      ({ path, words }) => `    "${path}"${path === "" ? "" : `|"${path} "*`}) ${take(words.join(" "))} ;;`,
    )
    .join("\n");

const bash = (all: readonly Completed[]) => `_throughline() {
  local path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${branches(all, (words) => `words="${words}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _throughline throughline`;

const zsh = (all: readonly Completed[]) => `#compdef throughline
_throughline() {
  local typed="" word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) ;; *) typed="\${typed:+$typed }$word" ;; esac
  done
  case "$typed" in
${branches(all, (words) => `found=(${words})`)}
  esac
  compadd -- $found || _files
}
compdef _throughline throughline`;

const quotedForFish = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fish(all: readonly Completed[]) {
  const summaries = new Map(all.map(({ path, summary }) => [path, summary]));
  const lines = all.flatMap(({ path, words }) => {
    const seen = path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const when = path === "" ? "__fish_use_subcommand" : seen.join("; and ");
    return words.map((word) => {
      if (word.startsWith("--")) return `complete -c throughline -n '${when}' -l ${word.slice(2)}`;
      const about = quotedForFish(summaries.get(path === "" ? word : `${path} ${word}`) ?? "");
      return `complete -c throughline -n '${when}' -a ${word} -d ${about}`;
    });
  });
  return lines.join("\n");
}

const shells = { bash, zsh, fish } as const;

/** `root` is the table that the script is made of. */
export const completionCommand = (root: () => Group) =>
  defineCommand({
    args: { shell: operand("bash, zsh or fish") },
    examples: {
      'eval "$(throughline completion bash)"': "in ~/.bashrc",
      'eval "$(throughline completion zsh)"': "in ~/.zshrc, behind compinit",
      "throughline completion fish > ~/.config/fish/completions/throughline.fish": "once",
    },
    async run({ args }) {
      if (!Object.hasOwn(shells, args.shell))
        throw usageError(`no completion for ${args.shell}`, `one of: ${Object.keys(shells).join(", ")}`);
      const all = await wordsBelow(root(), [], "");
      const script = shells[args.shell as keyof typeof shells](all);
      return { data: { shell: args.shell, script }, text: script };
    },
  });
