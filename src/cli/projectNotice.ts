// What a command says beside its own words: that the project's file has values which do not count, once for each content.
import { languageOf, projectRoots, resolveHome } from "../home/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import { isInteractive, write } from "./terminal.ts";

/** Only to a person; `config` shows it by itself. */
export async function tellOfProject(argv: readonly string[]): Promise<void> {
  if (!isInteractive() || argv.includes("config")) return;
  const [home, cwd, env] = [resolveHome(), process.cwd(), process.env];
  if (projectRoots(cwd).length === 0) return;
  const { isNews, loadConfig, projectNotice } = await import("../config/index.ts");
  try {
    const { project, values } = loadConfig({ home, cwd, env });
    const notice = project && projectNotice(project, languageOf(values.locale, env));
    if (project && notice && isNews(home, "command", project)) write(`${notice}\n`, "stderr");
  } catch (error) {
    // What is wrong with the user's own file, the command itself has said.
    if (!(error instanceof ThroughlineError)) throw error;
  }
}
