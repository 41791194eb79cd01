// A project's identity: shared by worktrees, kept apart for folders of the same name.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { safeName } from "./paths.ts";
import { projectOf } from "./project.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "throughline-project-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What git leaves on disk, as far as it says which repository this is. */
function repository(...at: string[]): string {
  const root = path.join(folder, ...at);
  mkdirSync(path.join(root, ".git"), { recursive: true });
  writeFileSync(path.join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  return root;
}

function worktree(main: string, ...at: string[]): string {
  const root = path.join(folder, ...at);
  const own = path.join(main, ".git", "worktrees", path.basename(root));
  mkdirSync(own, { recursive: true });
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(own, "commondir"), "../..\n");
  writeFileSync(path.join(own, "HEAD"), "ref: refs/heads/other\n");
  writeFileSync(path.join(root, ".git"), `gitdir: ${own}\n`);
  return root;
}

describe("projectOf", () => {
  it("is the repository, from anywhere inside it", () => {
    const app = repository("app");
    mkdirSync(path.join(app, "src", "deep"), { recursive: true });
    const project = projectOf(app);
    expect(project).toEqual({ id: expect.stringMatching(/^app-[0-9a-f]{8}$/), name: "app", root: app });
    expect(projectOf(path.join(app, "src", "deep"))).toEqual(project);
    expect(safeName(project.id)).toBe(project.id);
  });

  it("is shared by worktrees, each with its own root", () => {
    const app = repository("app");
    const other = worktree(app, "elsewhere", "app-feature");
    expect(projectOf(other)).toEqual({ ...projectOf(app), root: other });
  });

  it("keeps repositories of the same name apart", () => {
    expect(projectOf(repository("one", "app")).id).not.toBe(projectOf(repository("two", "app")).id);
  });

  it("sees through links", () => {
    const app = repository("app");
    symlinkSync(app, path.join(folder, "link"));
    expect(projectOf(path.join(folder, "link"))).toEqual(projectOf(app));
  });

  it("takes a submodule as a project of its own", () => {
    const app = repository("app");
    const own = path.join(app, ".git", "modules", "vendored");
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(own, "HEAD"), "ref: refs/heads/main\n");
    mkdirSync(path.join(app, "vendored"));
    writeFileSync(path.join(app, "vendored", ".git"), "gitdir: ../.git/modules/vendored\n");
    expect(projectOf(path.join(app, "vendored")).name).toBe("vendored");
    expect(projectOf(path.join(app, "vendored")).id).not.toBe(projectOf(app).id);
  });

  it("names a bare repository's worktree after the repository", () => {
    const bare = path.join(folder, "app.git");
    const own = path.join(bare, "worktrees", "w");
    mkdirSync(own, { recursive: true });
    for (const place of [bare, own]) writeFileSync(path.join(place, "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(path.join(own, "commondir"), "../..");
    mkdirSync(path.join(folder, "w"));
    writeFileSync(path.join(folder, "w", ".git"), `gitdir: ${own}`);
    expect(projectOf(path.join(folder, "w")).name).toBe("app");
  });

  it("is the folder where there is no repository, or only what looks like one", () => {
    const plain = path.join(folder, "notes");
    mkdirSync(path.join(plain, ".git"), { recursive: true });
    expect(projectOf(plain)).toMatchObject({ name: "notes", root: plain });
    rmSync(path.join(plain, ".git"), { recursive: true });
    writeFileSync(path.join(plain, ".git"), "gitdir: ../nowhere\n");
    expect(projectOf(plain)).toMatchObject({ name: "notes", root: plain });
    mkdirSync(path.join(folder, "other", "notes"), { recursive: true });
    expect(projectOf(path.join(folder, "other", "notes")).id).not.toBe(projectOf(plain).id);
  });

  it("answers for a folder that is gone, and for the root of the disk", () => {
    const app = repository("app");
    expect(projectOf(path.join(app, "gone", "deeper"))).toEqual(projectOf(app));
    expect(projectOf(path.parse(folder).root).id).toMatch(/^[\w-]+$/);
  });
});
