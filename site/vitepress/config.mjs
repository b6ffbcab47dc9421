import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { githubSlug } from '../../slug.ts';

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0969da"/><path d="M4 4h8v2H6v1h5v2H6v1h6v2H4z" fill="#fff"/></svg>';

const settings = JSON.parse(readFileSync(join(import.meta.dirname, 'settings.json'), 'utf8'));
const linkOf = (page) => `/${page.replace(/\.md$/, '')}`;
const items = (entries) => entries.map(([text, page]) => ({ text, link: linkOf(page) }));

/** Pages are plain Markdown: double braces are text, not a Vue expression. */
function showBraces(markdown) {
  const { text } = markdown.renderer.rules;
  markdown.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
}

/**
 * Code blocks indented by four spaces are commands, or sessions with a prompt, and are styled like
 * fenced ones.
 */
function highlightIndentedBlocks(markdown) {
  const { rules } = markdown.renderer;
  rules.code_block = (tokens, index, ...rest) => {
    tokens[index].info = /^\$ /m.test(tokens[index].content) ? 'console' : 'sh';
    return rules.fence(tokens, index, ...rest);
  };
}

// oxlint-disable-next-line import/no-default-export -- VitePress reads the default export.
export default {
  lang: 'en-US',
  title: 'encoderfile',
  description: 'Encoder models as single executables, an MCP server manager and an LLM gateway',
  // Every URL is relative, so that the site works below any path.
  base: './',
  cleanUrls: false,
  lastUpdated: false,
  // A data URL, because browsers otherwise request an icon from the root of the server.
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  markdown: {
    anchor: { slugify: githubSlug },
    headers: { slugify: githubSlug },
    config(markdown) {
      showBraces(markdown);
      highlightIndentedBlocks(markdown);
    },
  },
  themeConfig: {
    siteVersion: settings.version,
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: true } },
    nav: [
      { text: 'Tutorials', link: linkOf('tutorial.md') },
      { text: 'How-to guides', link: linkOf('how-to/langchain.md') },
      { text: 'Reference', link: linkOf('build.md') },
      { text: 'Help', link: linkOf('troubleshooting.md') },
    ],
    sidebar: [
      { text: 'Start', link: '/' },
      ...settings.groups.map(({ text, items: entries }) => ({
        text,
        collapsed: false,
        items: items(entries),
      })),
      {
        text: 'Project',
        collapsed: true,
        items: items([
          ['Changes', 'changelog.md'],
          ['Architecture', 'architecture.md'],
          ['Contributing', 'contributing.md'],
          ['Security', 'security.md'],
        ]),
      },
      { text: 'Decisions', collapsed: true, items: items(settings.decisions) },
    ],
    footer: { message: `encoderfile ${settings.version}, Apache-2.0`, copyright: settings.homepage },
  },
};
