// Pictures of pages, compared with recorded ones as small copies: a layout that moved shows, a date that changed does not.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";

const FOLDER = path.resolve(import.meta.dirname, "looks");
/** The recorded pictures are set in this font; in another one every line is of another length. */
const FONT = "DejaVu Sans";
const SMALL_WIDTH = 320;

export const isRecording = process.env.THROUGHLINE_RECORD === "1";

/** Why pictures cannot be compared here. */
export function looksProblem(): string | undefined {
  if (!isRecording && !existsSync(FOLDER)) return "none are recorded";
  const { stdout } = spawnSync("fc-match", ["-f", "%{family}", "sans-serif"], { encoding: "utf8" });
  return stdout === FONT ? undefined : `the font of this machine is ${stdout || "not known"}, not ${FONT}`;
}

/** At what time zone it is two in the afternoon: then yesterday's work of the sample is yesterday's, whenever the test runs. */
export function afternoonZone(now = new Date()): string {
  const ahead = 14 - now.getUTCHours();
  // The names have their sign reversed; 14 hours ahead is the most there is.
  return ahead === 0 ? "Etc/GMT" : `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
}

/** Runs in a blank page: draws a picture small, as a WebP image. */
const shrinkInPage = `async ([data, width]) => {
  const image = await createImageBitmap(await (await fetch(data)).blob());
  const height = Math.round((image.height * width) / image.width);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.drawImage(image, 0, 0, width, height);
  return canvas.toDataURL("image/webp", 0.9);
}`;

/** Runs in a blank page: the share of points of two small pictures whose colours differ visibly. */
const compareInPage = `async (pictures) => {
  const [a, b] = await Promise.all(pictures.map(async (data) => createImageBitmap(await (await fetch(data)).blob())));
  if (a.width !== b.width || a.height !== b.height) return 1;
  const pointsOf = (image) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height).data;
  };
  const [one, other] = [pointsOf(a), pointsOf(b)];
  let different = 0;
  for (let at = 0; at < one.length; at += 4) {
    const by = Math.max(...[0, 1, 2].map((part) => Math.abs(one[at + part] - other[at + part])));
    if (by > 40) different += 1;
  }
  return different / (one.length / 4);
}`;

const asData = (bytes: Buffer, type: string): string =>
  `data:image/${type};base64,${bytes.toString("base64")}`;

/** The share of points that differ from the recorded picture; records it when asked to. Undefined where none is recorded. */
export async function differenceOf(page: Page, blank: Page, name: string): Promise<number | undefined> {
  const shot = asData(await page.screenshot(), "png");
  const small = (await blank.evaluate(`(${shrinkInPage})(${JSON.stringify([shot, SMALL_WIDTH])})`)) as string;
  const file = path.join(FOLDER, `${name}.webp`);
  if (isRecording) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, Buffer.from(small.slice(small.indexOf(",") + 1), "base64"));
  }
  if (!existsSync(file)) return undefined;
  const recorded = asData(readFileSync(file), "webp");
  return (await blank.evaluate(`(${compareInPage})(${JSON.stringify([recorded, small])})`)) as number;
}
