import { extname } from 'node:path';
import { readTextAsset } from '../../../../platform/text-asset.ts';

/** The files of both pages, by their path under `browser/`. */
export const PAGE_FILES = [
  'index.html',
  'docs.html',
  'icon.svg',
  'style.css',
  'try.css',
  'docs.css',
  'app.js',
  'copy-button.js',
  'curl.js',
  'dom.js',
  'entities.js',
  'json-text.js',
  'key-form.js',
  'notice.js',
  'numbers.js',
  'results.js',
  'server.js',
  'table.js',
  'text-list.js',
  'vectors.js',
  'docs/content.js',
  'docs/operation.js',
  'docs/page.js',
  'docs/prose.js',
  'docs/schema.js',
  'tasks/bar.js',
  'tasks/embedding.js',
  'tasks/index.js',
  'tasks/numbered.js',
  'tasks/quoted-text.js',
  'tasks/reranking.js',
  'tasks/sentence-embedding.js',
  'tasks/sequence-classification.js',
  'tasks/token-classification.js',
] as const;
export type PageFile = (typeof PAGE_FILES)[number];

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export const pageFileType = (file: PageFile): string => TYPES[extname(file)] ?? 'text/plain; charset=utf-8';

export const readPageFile = (file: PageFile): string =>
  readTextAsset(`page/${file}`, new URL(`browser/${file}`, import.meta.url));
