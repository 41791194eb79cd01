// Puts one event into the spool: whole or not at all, private, and on disk before it is called written.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { makeFolder, PRIVATE_FILE, removeFile, tolerating } from "../lib/index.ts";
import type { CapturedEvent } from "./event.ts";

const PRIVATE_FOLDER = 0o700;

/** Sorts by the time of writing; the process and the event tell apart what was written in one millisecond. */
function nameFor(event: CapturedEvent) {
  const time = Date.now().toString(36).padStart(9, "0");
  return `${time}-${process.pid.toString(36)}-${event.id.slice("ev_".length)}.json`;
}

function openNew(file: string, folder: string) {
  const open = () => openSync(file, "wx", PRIVATE_FILE);
  const fd = tolerating(open, "ENOENT");
  if (fd !== undefined) return fd;
  // Looking first would cost every event a call that only the first one needs. The state folder itself is never
  // made here: a session that is still open when everything is purged must not bring it back.
  tolerating(() => mkdirSync(folder, PRIVATE_FOLDER), "EEXIST");
  return open();
}

function writeAndSync(fd: number, text: string) {
  const bytes = Buffer.from(text, "utf8");
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
  fsyncSync(fd);
}

/**
 * Writes an event and gives the name of its file. Throws what the system throws; then nothing of it is left.
 * The folder itself is not synced: that would double the cost of every event, and what a power cut takes
 * in that moment can still be read from the transcript.
 */
export function writeEvent(folder: string, event: CapturedEvent) {
  const name = nameFor(event);
  const temporary = `${folder}/.${name}.tmp`;
  const fd = openNew(temporary, folder);
  try {
    try {
      writeAndSync(fd, JSON.stringify(event));
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, `${folder}/${name}`);
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
  return name;
}

/** The same for a process that answers others meanwhile: many writes wait for the disk together. */
export async function writeEventAsync(folder: string, event: CapturedEvent) {
  const name = nameFor(event);
  const temporary = `${folder}/.${name}.tmp`;
  makeFolder(folder);
  try {
    const file = await open(temporary, "wx", PRIVATE_FILE);
    try {
      await file.writeFile(JSON.stringify(event));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, `${folder}/${name}`);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return name;
}
