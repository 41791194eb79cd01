// Markdown that others wrote, shown safely: HTML in it is text, pictures are their words, and links lead only to the web.
import { useEffect, useRef, useState } from "preact/hooks";
import { Skeleton } from "./resource.tsx";

type Render = (text: string) => DocumentFragment;

const tags =
  "p br hr h1 h2 h3 h4 h5 h6 strong em del code pre ul ol li blockquote table thead tbody tr th td a".split(
    " ",
  );

let renderer: Promise<Render> | undefined;

const asText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Loaded when the first text is shown; two walls, each of which would be enough. */
async function loadRenderer(): Promise<Render> {
  const [{ Marked }, { default: purify }] = await Promise.all([import("marked"), import("dompurify")]);
  const marked = new Marked({
    gfm: true,
    renderer: { html: ({ text }) => asText(text), image: ({ text }) => asText(text) },
  });
  purify.addHook("afterSanitizeAttributes", (node) => {
    if (node.nodeName !== "A") return;
    node.setAttribute("rel", "noopener noreferrer");
    node.setAttribute("target", "_blank");
  });
  return (text) =>
    purify.sanitize(marked.parse(text, { async: false }), {
      ALLOWED_TAGS: tags,
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
      {!isReady && <Skeleton lines={4} />}
      <div class="prose" ref={box} />
    </>
  );
}
