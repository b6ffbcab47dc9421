import { findModelKey, tryModelKey } from '../../ledger/model-key.ts';
import type { UsageReports } from '../../ledger/usage-api.ts';
import { everyPage } from '../store/every-page.ts';
import { findOne } from '../store/find-one.ts';

/** What the accounts call the model that a command means: in any form that requests take, or without its provider. */
export async function findUsedModel(usage: UsageReports, text: string): Promise<string> {
  const groups = await everyPage({ list: (page) => usage.groups({}, ['model'], page) });
  const used = groups.map(({ group: [model] }) => model ?? '');
  const key = findModelKey(text);
  if (used.includes(key)) return key;
  const isBare = tryModelKey(text) === undefined || used.some((model) => withoutProvider(model) === text);
  return isBare ? findOne(text, used, USED_MODELS) : key;
}

const withoutProvider = (model: string): string => model.slice(model.indexOf(':') + 1);

const USED_MODELS = {
  kind: 'model in the usage',
  list: 'gateway usage --group-by model',
  idOf: (model: string) => model,
  namesOf: (model: string) => [withoutProvider(model)],
};
