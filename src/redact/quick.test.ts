// The small scan for hooks: what it hides before the first byte is written, and what it never does.
import path from "node:path";
import { build, type Plugin } from "esbuild";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactText } from "./index.ts";
import { quickRedact } from "./quick.ts";
import { compactTokens } from "./tokens/compact.ts";

const drawn = (length: number): string =>
  Array.from({ length }, (_, at) => "k7Qz3mXw9Lp2Rt5Vb8Nc4Hd6Jf1Gs0Ya"[(at * 7 + (at >> 3)) % 32]).join("");

/** As in a hook: of `lib` only what is called. */
const onlyWhatIsCalled: Plugin = {
  name: "only-what-is-called",
  setup(builder) {
    builder.onResolve({ filter: /^node:/ }, ({ path: name }) => ({
      path: name,
      external: true,
      sideEffects: false,
    }));
    builder.onResolve({ filter: /^\.\.?\// }, ({ path: name, resolveDir }) => ({
      path: path.resolve(resolveDir, name),
      sideEffects: false,
    }));
  },
};

describe("the quick scan", () => {
  it("hides private text, tokens, keys, credentials and named secrets anywhere in a payload", () => {
    const token = `${"gh"}p_${drawn(36)}`;
    const payload = {
      prompt: "keep <private>not this</private> and <private>nor this",
      tool_input: { command: `curl -H 'X: ${token}' ${"https"}://mira:${drawn(9)}@git.acme.dev/a.git` },
      tool_response: [{ stdout: `DB_PASSWORD=${drawn(12)},x\nMODE=fast\n\\n${token}` }],
      count: 3,
    };
    expect(quickRedact(payload)).toEqual({
      prompt: "keep [redacted: private] and [redacted: private]",
      tool_input: {
        command: "curl -H 'X: [redacted: github-token]' https://mira:[redacted: password]@git.acme.dev/a.git",
      },
      tool_response: [{ stdout: "DB_PASSWORD=[redacted: password]\nMODE=fast\n\\n[redacted: github-token]" }],
      count: 3,
    });
  });

  it("sees every kind of token where nothing else gives it away", () => {
    const bodies = [
      ...[32, 35, 36, 40, 64].map(drawn),
      ...[16, 48].map((length) => drawn(length).toUpperCase()),
      "4f0c9a17e2b86d35".repeat(2),
      "4f0c9a17e2b86d35".repeat(4),
      `services/T0${drawn(9)}/B0${drawn(9)}/${drawn(24)}`,
      `${drawn(22)}.${drawn(43)}`,
      `${drawn(20)}.eyJ${drawn(30)}.${drawn(40)}`,
      drawn(80),
    ];
    for (const start of compactTokens.flatMap(([, starts]) => starts.split(" "))) {
      const texts = bodies.map((body) => start + body);
      expect(texts.filter((text) => quickRedact([text])[0] !== text)).not.toEqual([]);
      // An address beside it has every rule applied; without it the same is hidden.
      for (const text of texts) expect(`${quickRedact(text)} ://`).toBe(quickRedact(`${text} ://`));
    }
  });

  it("leaves look-alikes to be", () => {
    const payload = {
      a: "password: string",
      b: "token = await next(2)",
      c: "http://localhost:5173/@vite",
      d: `${"sk"}-${"x".repeat(40)}`,
    };
    expect(quickRedact(payload)).toEqual(payload);
  });

  it("never throws, whatever it is given", () => {
    fc.assert(fc.property(fc.anything(), (value) => void quickRedact(value)));
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(JSON.stringify(quickRedact(circle))).toContain("nested too deep");
    const trap = Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(quickRedact(trap)).toBe("[redacted: unreadable]");
  });

  it("cuts what is too long to look at", () => {
    expect(quickRedact("a ".repeat(3_000_000))).toMatch(/\[redacted: too long\]$/);
  });

  it("leaves nothing for the full scan to take apart", () => {
    const text = quickRedact(`password="${drawn(10)},;&${drawn(4)}" token=${drawn(20)};`);
    expect(redactText(text)).toEqual({ text, found: [] });
  });

  it("stays small", async () => {
    const { outputFiles } = await build({
      entryPoints: ["src/redact/quick.ts"],
      bundle: true,
      minify: true,
      write: false,
      platform: "node",
      format: "cjs",
      plugins: [onlyWhatIsCalled],
    });
    expect(outputFiles[0]?.contents.length).toBeLessThanOrEqual(10.5 * 1024);
  });
});
