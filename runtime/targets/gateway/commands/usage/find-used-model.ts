import type { UsageReports } from '../../accounts/ledger/usage-api.ts';
import { usedModels, withoutProvider } from '../../accounts/ledger/used-models.ts';
import { findOne } from '../store/find-one.ts';

/** Finds the full name of a model in the usage. Throws if there is none, or if the name is ambiguous. */
export async function findUsedModel(usage: UsageReports, text: string): Promise<string> {
  const { matching, all } = await usedModels(usage, text);
  const [model] = matching;
  return model !== undefined && matching.length === 1 ? model : findOne(text, all, USED_MODELS);
}

const USED_MODELS = {
  kind: 'model in the usage',
  list: 'gateway usage --group-by model',
  idOf: (model: string) => model,
  namesOf: (model: string) => [withoutProvider(model)],
};
