// The variables of a child, and the way back to those that were there before.
import { describe, expect, it } from "vitest";
import { isExempt, proxyFor } from "../upstreamProxy.ts";
import { baseUrlEnvironment, httpsProxyEnvironment, originalEnvironment } from "./environment.ts";

const host = { host: "api.anthropic.com", port: 443 };
const given = { url: "http://throughline:x@127.0.0.1:4000", authorityFile: "/state/a.pem" };

describe("the environment of a child", () => {
  it("leads to the proxy in both spellings, and to this machine directly", () => {
    const env = httpsProxyEnvironment({ PATH: "/bin" }, host, given);
    expect(env).toMatchObject({
      PATH: "/bin",
      HTTPS_PROXY: given.url,
      https_proxy: given.url,
      NO_PROXY: "localhost,127.0.0.1,::1",
      NODE_EXTRA_CA_CERTS: "/state/a.pem",
    });
  });

  it("keeps the exemptions of a user with a proxy, but for the host that is read", () => {
    const own = { HTTPS_PROXY: "http://company:8080", no_proxy: "intern, .anthropic.com localhost" };
    expect(httpsProxyEnvironment(own, host, given)).toMatchObject({
      NO_PROXY: "intern,localhost",
      no_proxy: "intern,localhost",
    });
    expect(httpsProxyEnvironment({ ...own, no_proxy: "*" }, host, given).NO_PROXY).toBeUndefined();
  });

  it("speaks to a base URL of this machine past the user's own proxy", () => {
    const own = { HTTP_PROXY: "http://company:8080", NO_PROXY: "intern" };
    expect(baseUrlEnvironment(own, "http://127.0.0.1:1")).toMatchObject({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
      NO_PROXY: "intern,127.0.0.1",
    });
    expect(baseUrlEnvironment({}, "http://127.0.0.1:1").NO_PROXY).toBeUndefined();
  });

  it("can be taken back", () => {
    const own = { HTTPS_PROXY: "http://company:8080", NODE_EXTRA_CA_CERTS: "/own.pem", OTHER: "1" };
    const inner = originalEnvironment({ ...httpsProxyEnvironment(own, host, given), LATER: "2" });
    expect(JSON.parse(JSON.stringify(inner))).toEqual({ ...own, LATER: "2" });
    expect(originalEnvironment(own)).toBe(own);
  });
});

describe("the user's own proxy", () => {
  it.each([
    ["api.anthropic.com", true],
    ["anthropic.com", true],
    [".anthropic.com", true],
    ["*.anthropic.com", true],
    ["API.Anthropic.com:443", true],
    ["*", true],
    ["anthropic.com:80", false],
    ["xanthropic.com", false],
    ["thropic.com", false],
    ["", false],
  ])("is not used for what NO_PROXY names: %s", (entry, isNamed) => {
    expect(isExempt(entry, host)).toBe(isNamed);
  });

  it("may be written without a scheme, and has to speak HTTP", () => {
    expect(proxyFor(host, { https_proxy: "company:8080" })?.href).toBe("http://company:8080/");
    expect(proxyFor(host, { HTTP_PROXY: "http://plain:1" })?.host).toBe("plain:1");
    expect(proxyFor(host, { HTTPS_PROXY: "http://a", NO_PROXY: "*" })).toBeUndefined();
    expect(() => proxyFor(host, { HTTPS_PROXY: "socks5://company:1080" })).toThrow(/http:\/\//);
  });
});
