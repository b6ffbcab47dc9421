import type { UsageReports } from '../../accounts/ledger/usage-api.ts';
import { usedModels, withoutProvider } from '../../accounts/ledger/used-models.ts';
import { findOne } from '../store/find-one.ts';

/** What the accounts call the model that a command means. Throws if that is none, or could be several. */
export async function findUsedModel(usage: UsageReports, text: string): Promise<string> {
  const { meant, all } = await usedModels(usage, text);
  const [model] = meant;
  return model !== undefined && meant.length === 1 ? model : findOne(text, all, USED_MODELS);
}

const USED_MODELS = {
  kind: 'model in the usage',
  list: 'gateway usage --group-by model',
  idOf: (model: string) => model,
  namesOf: (model: string) => [withoutProvider(model)],
};
