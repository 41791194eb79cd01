// BMad projects of all three generations, as they are found on disk: tidy ones, odd ones, and hostile ones.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProjectState } from "../projectState.ts";
import type { Invocation } from "../workingState.ts";
import { bmadReader } from "./index.ts";

let project = "";
beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), "throughline-bmad-"));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function files(contents: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), text);
  }
}

const read = (...invocations: Invocation[]): Promise<ProjectState | undefined> =>
  bmadReader.read({ project, invocations });
const call = (name: string, args = ""): Invocation => ({ name, args });

const story = (status: string, number = "1.4", tasks = ""): string =>
  `# Story ${number}: Store the activities\n\n${status}\n\n## Story\n\nAs a user\n\n## Tasks / Subtasks\n\n${tasks}\n## Dev Notes\n\n- [ ] not a task\n`;

describe("a project without BMad", () => {
  it("has no state", async () => {
    files({ "docs/stories/1.1.x.md": story("## Status\n\nDraft") });
    expect(await read()).toBeUndefined();
  });
});

describe("BMad 4", () => {
  const core = { ".bmad-core/core-config.yaml": "markdownExploder: true\ndevStoryLocation: docs/stories\n" };
  const agents = { ".bmad-core/agents/dev.md": "# dev", ".bmad-core/agents/qa.md": "# qa" };

  it("is at the highest story that is not done", async () => {
    files({
      ...core,
      ".bmad-core/install-manifest.yaml": "version: 4.44.3\ninstalled_at: x\n",
      "docs/stories/1.3.story.md": story("## Status\n\nDone", "1.3"),
      "docs/stories/1.10.ten.md": story(
        "## Status\n\nInProgress",
        "1.10",
        "- [x] a\n- [ ] Write it (AC: 1)\n",
      ),
      "docs/stories/1.9.nine.md": story("## Status\n\nApproved", "1.9"),
      "docs/stories/2.1.done.md": story("## Status\nDone", "2.1"),
      "docs/stories/readme.md": "# Stories",
    });
    expect(await read()).toMatchObject({
      method: "BMad 4.44.3",
      story: "Story 1.10: Store the activities [InProgress]",
      next: ["Write it (AC: 1)"],
      files: ["docs/stories/1.10.ten.md"],
    });
  });

  it.each([
    ["a line", "Status: Ready for Review", "Ready for Review"],
    ["a bold line", "**Status:** Review", "Review"],
    ["a bold word below a heading", "## Status\n\n**InProgress**", "InProgress"],
    ["a heading and a list", "### Status\n- Draft", "Draft"],
  ])("reads a status that is %s", async (_, status, expected) => {
    files({ ...core, "docs/stories/story-1.4-memory.md": story(status) });
    expect((await read())?.story).toBe(`Story 1.4: Store the activities [${expected}]`);
  });

  it("says unknown for a story without a status, and finds none in code", async () => {
    files({ ...core, "docs/stories/1.4.x.md": story("```\nStatus: Done\n```") });
    expect((await read())?.story).toBe("Story 1.4: Store the activities [unknown]");
  });

  it("knows its agents by their files", async () => {
    files({ ...core, ...agents });
    const state = await read(call("BMad:agents:dev"), call("BMad:tasks:review"), call("compact"));
    expect(state).toMatchObject({ agent: "dev", function: "/BMad:tasks:review" });
    expect((await read(call("BMad:agents:ghost")))?.agent).toBeUndefined();
    expect(await read()).not.toHaveProperty("agent");
  });

  it("looks for stories nowhere but in the project", async () => {
    files({ ".bmad-core/core-config.yaml": "devStoryLocation: ../../../etc\n" });
    expect(await read()).toMatchObject({ files: [], notes: ["no story file was found"] });
  });
});

describe("BMad 6 alpha", () => {
  const config = { ".bmad/bmm/config.yaml": "output_folder: '{project-root}/docs'\nuser_name: X\n" };
  const workflow = (status: string): Record<string, string> => ({
    ...config,
    "docs/bmm-workflow-status.yaml": `generated: "2025-11-01"\nproject: P\nselected_track: method\n${status}`,
  });

  it.each([
    [
      "a flat map",
      "workflow_status:\n  prd: docs/prd.md\n  validate-prd: skipped\n  architecture: required\n",
    ],
    [
      "a map of mappings",
      "workflow_status:\n  prd: {status: docs/prd.md}\n  architecture: {status: required, agent: architect, command: architecture}\n",
    ],
    [
      "a list of phases",
      "workflow_status:\n  - phase: 1\n    name: Plan\n    workflows:\n      - {id: prd, status: docs/prd.md}\n      - {id: architecture, status: required, agent: architect}\n",
    ],
  ])("finds the next workflow in %s", async (_, status) => {
    files(workflow(status));
    const state = await read();
    expect(state?.method).toBe("BMad 6 alpha");
    expect(state?.next[0]).toMatch(/^architecture \(required/);
  });

  it("believes what people write into it", async () => {
    files(
      workflow("current_phase: 3\ncurrent_epic: 10\nnext_action: split the story\nworkflow_status: {}\n"),
    );
    expect(await read()).toMatchObject({
      next: ["split the story"],
      notes: ["current phase: 3", "current epic: 10"],
    });
  });

  it("reads statuses by their old names, from the old place", async () => {
    files({
      ...config,
      "docs/sprint-artifacts/sprint-status.yaml":
        "generated: 05-06-2-2025 21:30\ndevelopment_status:\n  epic-1: contexted\n  1-1-login: completed\n  1-2-logout: drafted\n  epic-1-retrospective: completed\n",
    });
    expect((await read())?.story).toBe("Epic 1 [in-progress], Story 1.2: logout [ready-for-dev]");
  });
});

describe("BMad 6", () => {
  const toml = {
    "_bmad/config.toml":
      '[core]\noutput_folder = "{project-root}/_bmad-output"\n[modules.bmm]\nimplementation_artifacts = "{project-root}/old"\n[agents.bmad-agent-dev]\nname = "Amelia"\ntitle = "Developer"\n',
    "_bmad/custom/config.user.toml": '[modules.bmm]\nimplementation_artifacts = "{project-root}/artifacts"\n',
    "_bmad/_config/manifest.yaml":
      "installation:\n  version: 6.11.0\n  installDate: x\nmodules:\n  - name: bmm\n    version: 6.11.0\n",
  };
  const sprint = (status: string, more = ""): Record<string, string> => ({
    ...toml,
    "artifacts/sprint-status.yaml": `generated: 05-06-2025 21:30\nproject: P\ndevelopment_status:${status}\n${more}`,
  });

  it.each([
    ["in progress before all", "\n  1-1-a: review\n  1-2-b: in-progress\n  1-3-c: ready-for-dev", "1.2"],
    ["in review before ready", "\n  1-1-a: ready-for-dev\n  1-2-b: review", "1.2"],
    ["ready before the backlog", "\n  1-1-a: backlog\n  1-2-b: ready-for-dev", "1.2"],
    ["by number and not by spelling", "\n  1-10-j: backlog\n  1-9-i: backlog\n  2-1-x: backlog", "1.9"],
    ["by letter where a story was split", "\n  2-6b-y: backlog\n  2-6a-x: backlog\n  2-5-z: done", "2.6a"],
    ["also under another key", "\n  story-1-2-x: in-progress\n  1-1-a: done", "1.2"],
  ])("is at the story that comes first: %s", async (_, status, number) => {
    files(sprint(status));
    expect((await read())?.story).toContain(`Story ${number}:`);
  });

  it("reads settings in four layers, the version, and the story's own tasks", async () => {
    files({
      ...sprint("\n  epic-1: in-progress\n  1-4-store-it: in-progress"),
      "artifacts/1-4-store-it.md": story("Status: in-progress", "1.4", "- [ ] Do this\n- [ ] And this\n"),
    });
    expect(await read()).toEqual({
      method: "BMad 6.11.0",
      story: "Epic 1 [in-progress], Story 1.4: Store the activities [in-progress]",
      next: ["Do this", "And this"],
      files: ["artifacts/sprint-status.yaml", "artifacts/1-4-store-it.md"],
      notes: [],
    });
  });

  const spec = (title: string, status: string): string =>
    `---\ntitle: '${title}'\ntype: 'feature' # feature | bugfix\nstatus: '${status}' # draft | done\n---\n\n## Intent\n\n**Problem:** Status: none\n\n## Tasks & Acceptance\n\n**Execution:**\n- [x] \`a.ts\` -- read it\n- [ ] \`b.ts\` -- write it\n`;

  it.each(["spec-3-2-digest-delivery.md", "spec-3-2-mail-the-digest.md"])(
    "reads the spec that a build made of the story: %s",
    async (name) => {
      files({
        ...sprint("\n  3-2-digest-delivery: review\n  3-20-x: backlog"),
        [`artifacts/${name}`]: spec("Deliver the digest", "in-review"),
        "artifacts/spec-3-20-x.md": spec("Another", "draft"),
        "artifacts/spec-3-2-old.md": spec("Done long ago", "done"),
      });
      expect(await read()).toMatchObject({
        story: "Epic 3, Story 3.2: Deliver the digest [review]",
        next: ["`b.ts` -- write it"],
        files: ["artifacts/sprint-status.yaml", `artifacts/${name}`],
        notes: [],
      });
    },
  );

  it("does not choose between two specs of one story", async () => {
    files({
      ...sprint("\n  3-2-digest: in-progress"),
      "artifacts/spec-3-2-one.md": spec("One", "in-progress"),
      "artifacts/spec-3-2-two.md": spec("Two", "in-progress"),
    });
    expect(await read()).toMatchObject({ story: "Epic 3, Story 3.2: digest [in-progress]", next: [] });
  });

  it("is at the one spec that is furthest where no sprint is planned, and lists several", async () => {
    files({
      ...toml,
      "artifacts/spec-gh-47-fix-auth.md": spec("Fix the sign-in", "in-progress"),
      "artifacts/spec-later.md": spec("Later", "draft"),
    });
    expect(await read()).toMatchObject({
      story: "Spec Fix the sign-in [in-progress]",
      files: ["artifacts/spec-gh-47-fix-auth.md"],
    });
    files({ "artifacts/spec-other.md": spec("Other", "in-progress") });
    const state = await read();
    expect(state).not.toHaveProperty("story");
    expect(state?.notes[0]).toMatch(/^several specs are open: .*spec-other\.md \[in-progress\]/);
  });

  it("keeps an agent's name that a later list does not know, and its function is what was asked last", async () => {
    files({
      ...sprint(" {}"),
      "_bmad/_config/skill-manifest.csv": "canonicalId,name,description\nbmad-agent-dev,bmad-agent-dev,x\n",
    });
    const state = await read(
      call("bmad-agent-dev", "hello"),
      call("bmad-build", "story 3.2"),
      call("compact"),
    );
    expect(state).toMatchObject({ agent: "bmad-agent-dev (Amelia)", function: "/bmad-build story 3.2" });
  });

  it("reports both where story and sprint disagree", async () => {
    files({ ...sprint("\n  1-4-x: in-progress"), "artifacts/1-4-x.md": story("Status: review") });
    expect((await read())?.notes[0]).toMatch(/says in-progress \(.*the story says review \(/);
  });

  it("is at the retrospective when every story is done, and knows open points", async () => {
    files(
      sprint(
        "\n  1-1-a: done\n  epic-1-retrospective: optional",
        'action_items:\n  - {epic: 1, action: "Fix the build", owner: X, status: open}\n  - {epic: 1, action: "Old", status: done}\n',
      ),
    );
    const state = await read();
    expect(state).not.toHaveProperty("story");
    expect(state?.next).toEqual(["retrospective of epic 1", "Fix the build"]);
  });

  it("has no story in an empty plan, and names keys it does not understand", async () => {
    files(sprint(" {}"));
    expect(await read()).toMatchObject({ next: [], notes: [] });
    files(sprint("\n  whatever: done\n  1-1-a: backlog"));
    expect((await read())?.notes[0]).toContain("whatever");
  });

  it("takes the active agent from the last call that the roster knows", async () => {
    files(sprint(" {}"));
    const state = await read(call("bmad-agent-dev", "implement story 1.4"), call("review"), call("dev"));
    expect(state).toMatchObject({ agent: "bmad-agent-dev (Amelia)", function: "implement story 1.4" });
    expect((await read(call("bmad-agent-pm")))?.agent).toBeUndefined();
    expect((await read(call("dev")))?.agent).toBeUndefined();
  });

  it("knows the roster of its manifests too", async () => {
    files({
      "_bmad/bmm/config.yaml": "implementation_artifacts: '{project-root}/out'\n",
      "_bmad/_config/agent-manifest.csv":
        'name,displayName,title,icon,role\n"dev","Amelia","Developer, senior","x","y"\n"pm","John","Product ""lead""","x","y"\n',
    });
    expect((await read(call("bmad:bmm:agents:pm")))?.agent).toBe("pm (John)");
  });

  it("survives files that are broken, hostile or missing", async () => {
    files(sprint(" [unclosed, {"));
    expect(await read()).toMatchObject({ notes: ["no status file was found"] });
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(9)}]\nc: &c [${"*b,".repeat(9)}]\nd: &d [${"*c,".repeat(9)}]\n`;
    files({ ...toml, "artifacts/sprint-status.yaml": `${bomb}development_status: {1-1-a: backlog}\n` });
    expect(await read()).toBeDefined();
    files({
      "_bmad/custom/config.toml": '[__proto__]\npolluted = "yes"\n',
      "_bmad/config.toml": "not = = toml",
    });
    expect(await read()).toBeDefined();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
