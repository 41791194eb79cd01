// What the vault's writers write: told by the writer's name and a number, so that it can be checked afterwards.
import { seededRandom } from "./seededRandom.ts";

/** From a few bytes to about 60 KB; every third one does not compress. */
export function vaultContent(writer: string, index: number): Uint8Array {
  const random = seededRandom(index * 7_919 + [...writer].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 7));
  const name = Buffer.from(`${writer} ${index}\n`);
  const size = random(random(2) === 0 ? 200 : 60_000);
  const filler =
    index % 3 === 0 ? Uint8Array.from({ length: size }, () => random(256)) : Buffer.alloc(size, name);
  return Buffer.concat([name, filler]);
}
