// The files of deploy/ can be read by the programs they are for, and name commands and variables that exist.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const read = (name: string): string =>
  readFileSync(path.resolve(import.meta.dirname, "../deploy", name), "utf8");

describe("deploy", () => {
  it("has a unit of sections and assignments alone", () => {
    const unit = read("throughline-server.service");
    for (const line of unit.split("\n"))
      expect(line).toMatch(/^(#.*|\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*|)$/);
    expect(unit).toContain("ExecStart=/usr/bin/env throughline server run --behind-proxy");
  });

  it("has a compose file that is indented as YAML asks for, without tabs and with every service it depends on", () => {
    const compose = read("docker-compose.yml");
    expect(compose).not.toContain("\t");
    for (const line of compose.split("\n"))
      if (line !== "" && !line.startsWith("#")) expect(line).toMatch(/^( {2})*(- .+|"?[A-Za-z_]+"?:( .+)?)$/);
    expect(compose).toMatch(/^ {2}database:$/m);
    expect(compose).toContain('"server", "run", "--host", "0.0.0.0", "--behind-proxy"');
  });

  it("has a script that a shell can read", () => {
    const { status, stderr } = spawnSync("sh", ["-n"], { input: read("createRole.sh"), encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
