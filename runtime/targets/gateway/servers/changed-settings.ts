import { isDeepStrictEqual } from 'node:util';
import { keysOf } from '#core/values/keys.ts';
import type { GatewayConfig } from '../config/spec.ts';

/** Names of the parts of the configuration that differ, without values, which can be secrets. */
export function changedSettings(before: GatewayConfig, after: GatewayConfig): string[] {
  const { models: oldModels, ...old } = before;
  const { models: freshModels, ...fresh } = after;
  return [...differing(oldModels, freshModels), ...differing(old, fresh)]
    .filter((name) => !BOOKKEEPING.has(name))
    .toSorted();
}

/** Members of a loaded configuration that follow from others. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'secrets',
  'file',
  'files',
  'sources',
  'warnings',
  'withStored',
]);

const differing = <Part extends object>(before: Part, after: Part): string[] =>
  keysOf(after)
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map(String);
