// Renders untrusted Markdown safely: HTML in it becomes text, an image its alternative text, and links lead only to the web.
import { useEffect, useRef, useState } from "preact/hooks";
import { LoadingSkeleton } from "./resource.tsx";

const allowedTags =
  "p br hr h1 h2 h3 h4 h5 h6 strong em del code pre ul ol li blockquote table thead tbody tr th td a".split(
    " ",
  );

let renderer: ReturnType<typeof loadRenderer> | undefined;

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Loads the libraries with the first text. Escaping HTML and sanitising are two barriers, each sufficient by itself. */
async function loadRenderer() {
  const [{ Marked }, { default: purify }] = await Promise.all([import("marked"), import("dompurify")]);
  const marked = new Marked({
    gfm: true,
    renderer: { html: ({ text }) => escapeHtml(text), image: ({ text }) => escapeHtml(text) },
  });
  purify.addHook("afterSanitizeAttributes", (node) => {
    if (node.nodeName !== "A") return;
    node.setAttribute("rel", "noopener noreferrer");
    node.setAttribute("target", "_blank");
  });
  return (text: string) =>
    purify.sanitize(marked.parse(text, { async: false }), {
      ALLOWED_TAGS: allowedTags,
      ALLOWED_ATTR: ["href"],
      ALLOWED_URI_REGEXP: /^https?:\/\//i,
      ALLOW_DATA_ATTR: false,
      ALLOW_ARIA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    });
}

export function Markdown({ text }: { readonly text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [isReady, setIsReady] = useState(false);
  useEffect(() => {
    renderer ??= loadRenderer();
    let isCurrent = true;
    renderer.then((render) => {
      if (!isCurrent) return;
      setIsReady(true);
      box.current?.replaceChildren(render(text));
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return (
    <>
      {!isReady && <LoadingSkeleton />}
      <div class="prose" ref={box} />
    </>
  );
}
