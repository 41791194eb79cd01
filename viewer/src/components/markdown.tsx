// Renders untrusted Markdown as elements, never as HTML: HTML in it is text, an image its alternative text, and links lead only to the web.
import type { MarkedToken, Token, Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LoadingSkeleton } from "./resource.tsx";

type Lexer = (text: string) => readonly Token[];

let lexer: Promise<Lexer> | undefined;

/** Loads the library with the first text. */
async function loadLexer(): Promise<Lexer> {
  const { Marked } = await import("marked");
  const marked = new Marked({ gfm: true });
  return (text) => marked.lexer(text);
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (all, name) => entities[name] ?? all);

const isWeb = (href: string) => /^https?:\/\//i.test(href);

const elementsOf = (tokens: readonly Token[] = []): ComponentChildren =>
  tokens.map((token, at) => <Element key={at} token={token as MarkedToken} />);

function Table({ header, rows }: Tokens.Table) {
  const cells = (row: readonly Tokens.TableCell[], Cell: "th" | "td") => (
    <tr>
      {row.map(({ tokens }, at) => (
        <Cell key={at}>{elementsOf(tokens)}</Cell>
      ))}
    </tr>
  );
  return (
    <table>
      <thead>{cells(header, "th")}</thead>
      <tbody>{rows.map((row) => cells(row, "td"))}</tbody>
    </table>
  );
}

/** Elements that only hold others. */
const plainElements = {
  paragraph: "p",
  blockquote: "blockquote",
  strong: "strong",
  em: "em",
  del: "del",
} as const;

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

function Element({ token }: { readonly token: MarkedToken }): ComponentChildren {
  switch (token.type) {
    case "heading": {
      const Heading = headings[token.depth - 1] ?? "h6";
      return <Heading>{elementsOf(token.tokens)}</Heading>;
    }
    case "code":
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case "codespan":
      return <code>{token.text}</code>;
    case "list": {
      const List = token.ordered ? "ol" : "ul";
      return <List>{elementsOf(token.items)}</List>;
    }
    case "list_item":
      return <li>{elementsOf(token.tokens)}</li>;
    case "table":
      return <Table {...token} />;
    case "link":
      if (!isWeb(token.href)) return elementsOf(token.tokens);
      return (
        <a href={token.href} rel="noopener noreferrer" target="_blank">
          {elementsOf(token.tokens)}
        </a>
      );
    case "hr":
    case "br":
      return <token.type />;
    case "paragraph":
    case "blockquote":
    case "strong":
    case "em":
    case "del": {
      const Plain = plainElements[token.type];
      return <Plain>{elementsOf(token.tokens)}</Plain>;
    }
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "text":
      return token.tokens ? elementsOf(token.tokens) : decoded(token.text);
    case "html":
    case "image":
    case "escape":
      return token.text;
    default:
      return null;
  }
}

export function Markdown({ text }: { readonly text: string }) {
  const [lex, setLex] = useState<Lexer>();
  useEffect(() => {
    lexer ??= loadLexer();
    let isCurrent = true;
    void lexer.then((loaded) => isCurrent && setLex(() => loaded));
    return () => {
      isCurrent = false;
    };
  }, []);
  return lex ? <div class="prose">{elementsOf(lex(text))}</div> : <LoadingSkeleton />;
}
