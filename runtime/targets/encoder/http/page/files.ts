import { readTextAsset } from '#platform/text-asset.ts';

/** Files of the page for trying the model, by their path under `browser/`. The page also uses the files that all pages share. */
export const PAGE_FILES = [
  'index.html',
  'try.css',
  'app.js',
  'entities.js',
  'label-examples.js',
  'numbers.js',
  'results.js',
  'text-list.js',
  'tokens.js',
  'vectors.js',
  'file/cells.js',
  'file/csv.js',
  'file/file-panel.js',
  'file/run-rows.js',
  'tasks/bar.js',
  'tasks/bars.js',
  'tasks/embedding.js',
  'tasks/embedding-outputs.js',
  'tasks/sparse-embedding.js',
  'tasks/fill-mask.js',
  'tasks/index.js',
  'tasks/labels-in.js',
  'tasks/marked-text.js',
  'tasks/multi-vector.js',
  'tasks/numbered.js',
  'tasks/quoted-text.js',
  'tasks/question-answering.js',
  'tasks/reranking.js',
  'tasks/sentence-embedding.js',
  'tasks/sequence-classification.js',
  'tasks/threshold.js',
  'tasks/token-classification.js',
  'tasks/zero-shot-classification.js',
  'tasks/zero-shot-ner.js',
] as const;
export type PageFile = (typeof PAGE_FILES)[number];

export const readPageFile = (file: PageFile): string =>
  readTextAsset(`page/${file}`, new URL(`browser/${file}`, import.meta.url));
