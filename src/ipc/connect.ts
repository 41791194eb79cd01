// The one way to the worker for hooks, commands and MCP. Nothing is sent before it is known that this user's worker listens.
import { readFileSync, type Stats } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { isObject, lstatIfThere, ownershipOf, ownUser, parseJson, systemErrorCode } from "../lib/index.ts";
import {
  encodeFrame,
  lineReader,
  PROTOCOL,
  type RequestFrame,
  type ResponseFrame,
  readResponse,
} from "./frames.ts";

/** Where the worker listens: a unix socket, or a named pipe of Windows. */
export interface Endpoint {
  readonly path: string;
  /** Where the path is not inside the state folder, the worker proves that it knows this before anything is sent to it. */
  readonly secret?: string;
}

/** What decides whether an endpoint is this user's. */
interface Owner {
  readonly platform: NodeJS.Platform;
  readonly user: number | undefined;
}

const thisProcess = (): Owner => ({ platform: process.platform, user: ownUser() });

const isOwnSocket = (entry: Stats | undefined, { user }: Owner) =>
  entry?.isSocket() === true && entry.uid === user;

const PIPE = /^\\\\\.\\pipe\\throughline-[0-9a-f]{32}$/;
const SECRET_DIGITS = /^[0-9a-f]{64}$/;

/** The endpoint that is written in the file at `address`; undefined where there is no such file. */
export function readPointer(address: string): Required<Endpoint> | undefined {
  if (lstatIfThere(address)?.isFile() !== true) return undefined;
  const value = parseJson(readFileSync(address, "utf8"));
  if (!isObject(value) || typeof value.path !== "string" || typeof value.secret !== "string")
    return undefined;
  return SECRET_DIGITS.test(value.secret) ? { path: value.path, secret: value.secret } : undefined;
}

function isPointedAt(place: string, owner: Owner) {
  if (owner.platform === "win32") return PIPE.test(place);
  if (ownershipOf(path.dirname(place), owner.user) !== "private") return false;
  return isOwnSocket(lstatIfThere(place), owner);
}

/**
 * Where this user's worker listens. `address` is in the state folder: the socket itself, or a file that names a socket in
 * another private folder or a pipe. `absent`: no worker of this user can be there; one that starts repairs what is wrong
 * with its place. `foreign`: the state folder, or what stands at the address, is another user's.
 */
export function endpointAt(address: string, owner = thisProcess()): Endpoint | "absent" | "foreign" {
  const folder = ownershipOf(path.dirname(address), owner.user);
  if (folder !== "private") return folder === "foreign" ? "foreign" : "absent";
  const entry = lstatIfThere(address);
  if (!entry) return "absent";
  if (isOwnSocket(entry, owner)) return { path: address };
  if (!entry.isFile() || (owner.user !== undefined && entry.uid !== owner.user)) return "foreign";
  const pointer = readPointer(address);
  return pointer && isPointedAt(pointer.path, owner) ? pointer : "absent";
}

/**
 * `absent`: no worker of this user listens. `silent`: one does and does not answer in time. `garbled`: what came back is no
 * answer of a worker, or the connection ended before one. `foreign`: what listens is not this user's, and was sent nothing.
 */
export type Reply = ResponseFrame | "absent" | "silent" | "garbled" | "foreign";

type WorkerQuestion = Omit<RequestFrame, "v">;

/** How a worker outside of the state folder proves itself. */
export interface Proof {
  readonly question: WorkerQuestion;
  isProvenBy(response: ResponseFrame): boolean;
}

interface Limits {
  readonly withinMs: number;
  readonly mostBytes: number;
}

/**
 * One question and its answer. Never rejects: that there is no worker is an answer like any other. `proofBy` is called only
 * where the endpoint has a secret: hooks load the code for it then.
 */
export async function request(
  address: string,
  question: WorkerQuestion,
  limits: Limits,
  proofBy: (secret: string) => Proof | Promise<Proof>,
): Promise<Reply> {
  const endpoint = endpointAt(address);
  if (typeof endpoint === "string") return endpoint;
  const { path: place, secret } = endpoint;
  let proof = secret === undefined ? undefined : await proofBy(secret);
  return new Promise((resolve) => {
    const reader = lineReader(limits.mostBytes);
    const connection = connect(place);
    const settle = (reply: Reply) => {
      clearTimeout(timer);
      connection.destroy();
      resolve(reply);
    };
    const send = (frame: WorkerQuestion) => {
      connection.write(encodeFrame({ v: PROTOCOL, ...frame }));
    };
    const timer = setTimeout(() => settle("silent"), limits.withinMs);
    const hear = (line: string) => {
      const response = readResponse(line);
      if (!response) settle("garbled");
      else if (!proof) {
        if (response.id === question.id) settle(response);
      } else if (proof.isProvenBy(response)) {
        proof = undefined;
        send(question);
      } else settle("foreign");
    };
    connection.setEncoding("utf8");
    connection.on("connect", () => send(proof?.question ?? question));
    connection.on("data", (chunk: string) => {
      const lines = reader.push(chunk);
      if (!lines) settle("garbled");
      else lines.forEach(hear);
    });
    connection.on("error", (error) => {
      settle(["ENOENT", "ECONNREFUSED"].includes(systemErrorCode(error) ?? "") ? "absent" : "garbled");
    });
    connection.on("close", () => settle("garbled"));
  });
}
