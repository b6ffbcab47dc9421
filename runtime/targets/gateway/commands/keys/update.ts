import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { readToggle } from '../options/toggle.ts';
import { requireChanges } from '../options/require-changes.ts';
import { storeCommand } from '../store/store-command.ts';
import { findKey } from './find-key.ts';
import { budgetOptionsOf, KEY_OPTIONS, keyFields, mergeBudget } from './key-options.ts';
import { warnAboutModels } from './warn-about-models.ts';
import { showKey } from './show-key.ts';

export const updateKeyCommand = storeCommand({
  summary: 'Change, disable or enable a key. A running gateway applies the change within a second.',
  positionals: '<id|name|prefix>',
  options: {
    activate: { help: 'Enable the key' },
    deactivate: { help: 'Disable the key' },
    'any-model': { help: 'Allow all models' },
    ...KEY_OPTIONS,
  },
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    const fields = {
      ...keyFields(invocation, Date.now()),
      isActive: readToggle(invocation, 'activate', 'deactivate'),
    };
    const allowedModels = anyModel(invocation) ? null : fields.allowedModels;
    const budgetOptions = budgetOptionsOf(invocation);
    requireChanges({ ...fields, ...budgetOptions, allowedModels });
    return async ({ state, models, output, json }) => {
      const { identity } = state;
      await warnAboutModels(allowedModels, { models, state, output });
      const { id, budget: before } = await findKey(identity.keys, text);
      const budget = mergeBudget(budgetOptions, before);
      const key = await identity.keys.change(id, { ...fields, allowedModels, budget });
      showKey(key, { output, json });
    };
  },
});

function anyModel(invocation: Invocation): boolean {
  const any = invocation.flag('any-model');
  if (any && invocation.given('model'))
    throw new UsageError('--model conflicts with --any-model; use one of them.');
  return any;
}
