import { listAll } from '../../store/list-all.ts';
import { findModelKey, tryModelKey } from './model-key.ts';
import type { UsageFilter, UsageReports } from './usage-api.ts';

export interface UsedModels {
  /** Models in the usage that match the text; there can be several if the text has no provider. */
  readonly matching: readonly string[];
  readonly all: readonly string[];
}

/**
 * The models in the usage, and those that match a text: a model string in any format, or a model without its
 * provider.
 */
export async function usedModels(
  usage: Pick<UsageReports, 'groups'>,
  text: string,
  filter: UsageFilter = {},
): Promise<UsedModels> {
  const groups = await listAll({ list: (page) => usage.groups(filter, ['model'], page) });
  const all = groups.map(({ group: [model] }) => model ?? '');
  const key = findModelKey(text);
  if (all.includes(key)) return { matching: [key], all };
  const bare = all.filter((model) => withoutProvider(model) === text);
  return { matching: bare.length > 0 || tryModelKey(text) === undefined ? bare : [key], all };
}

export const withoutProvider = (model: string): string => model.slice(model.indexOf(':') + 1);
