import { listAll } from '../../store/list-all.ts';
import { findModelKey, tryModelKey } from './model-key.ts';
import type { UsageFilter, UsageReports } from './usage-api.ts';

export interface UsedModels {
  /** What the accounts call what was named: several where it was named without its provider. */
  readonly meant: readonly string[];
  readonly all: readonly string[];
}

/** The models in the accounts, and which of them somebody means: in any form that requests take, or without its provider. */
export async function usedModels(
  usage: Pick<UsageReports, 'groups'>,
  text: string,
  filter: UsageFilter = {},
): Promise<UsedModels> {
  const groups = await listAll({ list: (page) => usage.groups(filter, ['model'], page) });
  const all = groups.map(({ group: [model] }) => model ?? '');
  const key = findModelKey(text);
  if (all.includes(key)) return { meant: [key], all };
  const bare = all.filter((model) => withoutProvider(model) === text);
  return { meant: bare.length > 0 || tryModelKey(text) === undefined ? bare : [key], all };
}

export const withoutProvider = (model: string): string => model.slice(model.indexOf(':') + 1);
