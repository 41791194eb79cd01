// Debian's Chromium, driven from the tests: installed if it is missing and may be, closed to everything but this machine.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const BINARY = "/usr/bin/chromium";
const INSTALL_TIMEOUT = 300_000;

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Why there is no browser here, if there is none and none can be had. */
export function browserProblem(): string | undefined {
  if (existsSync(BINARY)) return undefined;
  if (process.platform !== "linux") return `there is no ${BINARY}`;
  const install = ["install", "-y", "-q", "--no-install-recommends", "chromium"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr, error } = spawnSync("apt-get", install, {
    timeout: INSTALL_TIMEOUT,
    encoding: "utf8",
    env,
  });
  if (status === 0 && existsSync(BINARY)) return undefined;
  return `\`apt-get install chromium\` failed: ${error?.message ?? stderr.trim().split("\n").at(-1)}`;
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: BINARY, args: flags });
}

export interface Tab {
  readonly page: Page;
  /** What went wrong in it so far: errors on the console, uncaught errors, dialogs, requests that left the machine. */
  readonly troubles: string[];
  close(): Promise<void>;
}

/** A tab of a browser that has never been here: no cookies, nothing remembered. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(`uncaught: ${error.message}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== "blob:" && hostname !== "127.0.0.1") troubles.push(`asked ${request.url()}`);
  });
  page.setDefaultTimeout(20_000);
  return { page, troubles, close: () => context.close() };
}
