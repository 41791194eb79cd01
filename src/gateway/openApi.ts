// The OpenAPI document of the gateway, made from the same schemas that check its requests.
import { z } from "zod";
import type { JsonObject } from "../lib/index.ts";
import { contextAnswer, contextRequest, ingestAnswer, ingestBody } from "./schema.ts";

const schemaOf = (schema: z.ZodType, io: "input" | "output"): JsonObject => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
};

const json = (schema: JsonObject) => ({ "application/json": { schema } });

const failure = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: { code: { type: "string" }, message: { type: "string" }, fix: { type: "string" } },
      required: ["code", "message"],
    },
  },
  required: ["error"],
};

const failures = (...statuses: readonly string[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: failureTexts[status] ?? "", content: json(failure) }]),
  );

const failureTexts: Readonly<Record<string, string>> = {
  "400": "the request is not valid; the message names the field",
  "401": "no valid token",
  "404": "there is nothing of that name",
  "413": "the body is too large",
  "503": "the worker has too much to store; send it again after `Retry-After` seconds",
};

const posted = (summary: string, body: z.ZodType, answer: z.ZodType, more: readonly string[] = []) => ({
  post: {
    summary,
    requestBody: { required: true, content: json(schemaOf(body, "input")) },
    responses: {
      "200": { description: "done", content: json(schemaOf(answer, "output")) },
      ...failures("400", "401", "413", ...more),
    },
  },
});

const query = (name: string, description: string, required = false) => ({
  ...{ name, in: "query", description, required },
  schema: { type: "string" },
});

const got = (summary: string, parameters: readonly object[]) => ({
  get: {
    summary,
    parameters,
    responses: {
      "200": { description: "done", content: json({ type: "object" }) },
      ...failures("400", "401", "404"),
    },
  },
});

/** Version 1: fields and types may be added to it, and none is changed or removed. */
export function openApiDocument(): JsonObject {
  return {
    openapi: "3.1.0",
    info: {
      title: "Throughline gateway",
      version: "1",
      description:
        "Events of any coding agent in, what its sessions should know out. On loopback, with a token.",
    },
    servers: [{ url: "http://127.0.0.1:37777" }],
    security: [{ token: [] }],
    paths: {
      "/v1/events": posted("Store events, each once", ingestBody, ingestAnswer, ["503"]),
      "/v1/context": posted("What a session or a prompt should be told", contextRequest, contextAnswer),
      "/v1/search": got("Find what was learned, said and done", [
        query("query", 'plain words, or AND OR NOT "phrase" title:word'),
        query("project", "only this project, by its id"),
        query("agent", "only what comes from sessions of this agent"),
        query("limit", "how many hits"),
      ]),
      "/v1/recall": got("The exact text behind a handle", [
        query("handle", "such as tl:3f9a0c12b7de", true),
        query("offset", "the first character of the part"),
      ]),
    },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}
