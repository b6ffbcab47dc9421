import { readTextAsset } from '#platform/text-asset.ts';
import { EXPERIMENT_FILES } from './experiment-files.ts';

/** Files of the pages of the gateway, by path under `browser/`. The pages also use the files that all pages share. */
export const PAGE_FILES = [
  'index.html',
  'gateway.css',
  'app.js',
  'parts/account-filters.js',
  'parts/actions.js',
  'parts/api-schema.js',
  'parts/edit.js',
  'parts/exact-money.js',
  'parts/key-names.js',
  'parts/lists.js',
  'parts/live-part.js',
  'parts/own-spending.js',
  'parts/range-page.js',
  'parts/resource.js',
  'parts/stream-chat.js',
  'parts/time-range.js',
  'parts/trend-series.js',
  'sections.js',
  'sections/account.js',
  'sections/alerts.js',
  'sections/aliases.js',
  'sections/audit.js',
  'sections/budgets.js',
  'sections/guardrails.js',
  'sections/keys.js',
  'sections/latency.js',
  'sections/overview.js',
  'sections/playground.js',
  'sections/prices.js',
  'sections/providers.js',
  'sections/requests.js',
  'sections/spending.js',
  'sections/teams.js',
  'sections/users.js',
  ...EXPERIMENT_FILES,
] as const;
export type PageFile = (typeof PAGE_FILES)[number];

export const readPageFile = (file: PageFile): string =>
  readTextAsset(`page/${file}`, new URL(`browser/${file}`, import.meta.url));
