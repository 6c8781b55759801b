// Pages on standard input, as a JSON list; the HTML that each renderer makes of each on standard
// output, as {renderer: {page: html}}. Of a page that a renderer refuses it is what that said.
import { readFileSync } from "node:fs";

import { evaluate } from "@mdx-js/mdx";
import remarkComment from "@slorber/remark-comment";
import hljs from "highlight.js";
import MarkdownIt from "markdown-it";
import rehypeHighlight from "rehype-highlight";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

const remark = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeHighlight)
  .use(rehypeStringify, { allowDangerousHtml: true });

// As Visual Studio Code's preview, and VitePress with another highlighter.
const markdownIt = new MarkdownIt({
  html: true,
  highlight: (code, language) =>
    hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : "",
});

// A JSX runtime that makes HTML, so that MDX needs no React.
class Html {
  constructor(text) {
    this.text = text;
  }
}
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const text = (child) => {
  if (child instanceof Html) return child.text;
  if (Array.isArray(child)) return child.map(text).join("");
  return child === undefined || child === null ? "" : escaped(String(child));
};
const jsx = (type, { children, ...properties }) => {
  if (typeof type === "function") return type({ children, ...properties });
  const attributes = Object.entries(properties).map(
    ([name, value]) => ` ${name === "className" ? "class" : name}="${escaped(String(value))}"`,
  );
  return new Html(`<${type}${attributes.join("")}>${text(children)}</${type}>`);
};
const runtime = { jsx, jsxs: jsx, Fragment: ({ children }) => new Html(text(children)) };
const mdx = (...plugins) => async (page) => {
  const { default: Page } = await evaluate(page, {
    ...runtime,
    remarkPlugins: [remarkGfm, ...plugins],
  });
  return text(Page({}));
};

const renderers = {
  remark: async (page) => String(await remark.process(page)),
  "markdown-it": async (page) => markdownIt.render(page),
  MDX: mdx(),
  "MDX with comments": mdx(remarkComment), // as Docusaurus has it
};

const pages = JSON.parse(readFileSync(0, "utf8"));
const made = {};
for (const [name, render] of Object.entries(renderers)) {
  made[name] = {};
  for (const page of pages) {
    try {
      made[name][page] = await render(page);
    } catch (error) {
      made[name][page] = `refused: ${error}`;
    }
  }
}
process.stdout.write(JSON.stringify(made));
