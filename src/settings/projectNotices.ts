// The line that a session is begun with when the project's file has values that do not count: once for each content.
import { isNews, loadConfig, projectNotice } from "../config/index.ts";
import { type Environment, type Home, languageOf } from "../home/index.ts";
import { ThroughlineError } from "../lib/index.ts";

export function projectNotices(home: Home, env: Environment): (folder: string) => string | undefined {
  return (folder) => {
    try {
      const { project, values } = loadConfig({ home, cwd: folder, env });
      const notice = project && projectNotice(project, languageOf(values.locale, env));
      return project && notice && isNews(home, "session", project) ? notice : undefined;
    } catch (error) {
      // The user's own file is wrong; the worker's log has it.
      if (error instanceof ThroughlineError) return undefined;
      throw error;
    }
  };
}
