import { readTextAsset } from '../../../../platform/text-asset.ts';

/** Files of the pages of the manager, by path under `browser/`. The pages also use the files that all pages share. */
export const PAGE_FILES = [
  'index.html',
  'manager.css',
  'app.js',
  'audit.js',
  'clients.js',
  'groups.js',
  'pins.js',
  'configuration/add.js',
  'configuration/diff.js',
  'configuration/edit.js',
  'configuration/list.js',
  'configuration/review.js',
  'keys/list.js',
  'keys/new.js',
  'results/content.js',
  'results/tool-result.js',
  'servers/head.js',
  'servers/list.js',
  'servers/log.js',
  'servers/overview.js',
  'servers/prompt.js',
  'servers/prompts.js',
  'servers/resources.js',
  'servers/sign-in.js',
  'servers/tools.js',
  'shared/api.js',
  'shared/button.js',
  'shared/caller.js',
  'shared/local-rows.js',
  'shared/patterns.js',
  'shared/phase.js',
  'shared/text.js',
  'shared/without-support.js',
  'tools/search.js',
  'tools/tool.js',
] as const;
export type PageFile = (typeof PAGE_FILES)[number];

export const readPageFile = (file: PageFile): string =>
  readTextAsset(`page/${file}`, new URL(`browser/${file}`, import.meta.url));
