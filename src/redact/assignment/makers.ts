// Calls around a literal: those that make a value out of it, and those that fetch a value by it.
import { matchAt } from "../finder.ts";

/** A call that makes a value out of a literal: String::from("…"), []byte("…"), Buffer.from("…"). */
const MAKER = /(?:new\s{1,2})?(?:\[\]byte|[A-Za-z_][\w.:<>]{0,40})\(\s{0,4}(?=[bN@L]?\\{0,3}["'`])/y;
/** A call that fetches it: the literal is a name. */
const GETTER =
  /get|env|fetch|read|load|conf|param|lookup|resolve|find|require|import|prompt|input|ask|transl|\bt\(|i18n|vault|ssm|manager|hash|sign|verif|compare|match|test|expect|query|select|arg|opt|flag|header|cookie|req|field|col|prop|attr|key|name|label|has|is[A-Z]|check|valid|use[A-Z]|select|inject|error|log|print|format|symbol|code/i;

/** How much of a call stands before a literal that is the value; 0 where none does. */
export function makerAt(text: string, at: number): number {
  const maker = matchAt(MAKER, text, at)?.[0] ?? "";
  return GETTER.test(maker) ? 0 : maker.length;
}
