import { requiredNumber } from '#serve/cli/values.ts';
import type { UsageFilter, UsageReports } from '../../accounts/ledger/usage-api.ts';
import { usedModels, withoutProvider } from '../../accounts/ledger/used-models.ts';
import { findKey } from '../keys/find-key.ts';
import { findOne } from '../store/find-one.ts';
import { type StoreContext, storeCommand } from '../store/store-command.ts';
import { readReport } from './read-report.ts';
import { filterOf, shapeOf, USAGE_OPTIONS } from './usage-options.ts';
import { showReport } from './show-report.ts';

export const usageCommand = storeCommand({
  summary: 'Show usage, per request or aggregated.',
  options: USAGE_OPTIONS,
  prepare(invocation) {
    const named = filterOf(invocation, Date.now());
    const shape = shapeOf(invocation);
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const key = invocation.value('key');
    return async (context) => {
      const { state, output, json } = context;
      const keyId = key === undefined ? undefined : (await findKey(state.identity.keys, key)).id;
      const model = named.model === undefined ? undefined : await findUsedModel(state.usage, named.model);
      const filter = { ...named, keyId, model };
      if (shape.kind === 'csv') return await printCsv(filter, context);
      const report = await readReport(state.usage, filter, shape, limit);
      showReport(report, { output, json });
    };
  },
});

async function printCsv(filter: UsageFilter, { state, output }: StoreContext): Promise<void> {
  for await (const line of state.usage.csv(filter)) output.out(line);
}

/** Finds the full name of a model in the usage. Throws if there is none, or if the name is ambiguous. */
async function findUsedModel(usage: UsageReports, text: string): Promise<string> {
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
