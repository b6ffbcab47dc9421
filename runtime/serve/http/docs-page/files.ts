import { readTextAsset } from '#platform/text-asset.ts';

/** Files of the API docs page, by path under `browser/`. */
export const DOCS_FILES = [
  'docs.html',
  'docs.css',
  'docs/content.js',
  'docs/operation.js',
  'docs/page.js',
  'docs/prose.js',
  'docs/read-response.js',
  'docs/schema.js',
  'docs/try-it.js',
] as const;
export type DocsFile = (typeof DOCS_FILES)[number];

export const readDocsFile = (file: DocsFile): string =>
  readTextAsset(`page/${file}`, new URL(`browser/${file}`, import.meta.url));
