import { readTextAsset } from '../../../../platform/text-asset.ts';
import { EXPERIMENT_FILES } from './experiment-files.ts';

/** Files of the pages of the gateway, by path under `browser/`. The pages also use the files that all pages share. */
export const PAGE_FILES = ['index.html', 'app.js', ...EXPERIMENT_FILES] as const;
export type PageFile = (typeof PAGE_FILES)[number];

export const readPageFile = (file: PageFile): string =>
  readTextAsset(`page/${file}`, new URL(`browser/${file}`, import.meta.url));
