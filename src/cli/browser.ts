// Opens an address in the person's browser, by the system's own way to do it.
import { spawn } from "node:child_process";

interface Opener {
  readonly command: string;
  readonly args: readonly string[];
}

/** `start` of Windows reads its first quoted argument as a title, and `&` as another command: hence neither. */
export function openerFor(platform: NodeJS.Platform, url: string): Opener {
  if (platform === "darwin") return { command: "open", args: [url] };
  if (platform === "win32") return { command: "rundll32", args: ["url.dll,FileProtocolHandler", url] };
  return { command: "xdg-open", args: [url] };
}

/** How long the opener may take to fail; one that still runs then is a browser. */
const PATIENCE_MS = 3_000;

/** Whether a browser was asked; false where there is none, as on a machine without a screen. */
export function openInBrowser(
  url: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const { command, args } = openerFor(platform, url);
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, detached: true, stdio: "ignore", windowsHide: true });
    const settle = (opened: boolean): void => {
      clearTimeout(timer);
      child.unref();
      resolve(opened);
    };
    const timer = setTimeout(() => settle(true), PATIENCE_MS);
    child.on("error", () => settle(false));
    child.on("exit", (code) => settle(code === 0));
  });
}
