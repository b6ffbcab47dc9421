import { AppError } from '../../../../contract/errors.ts';
import type { Users } from '../../accounts/identity/identity.ts';
import { shellWord } from '../show/shell-word.ts';
import { storeCommand } from '../store/store-command.ts';
import { warnOfModels } from './warn-of-models.ts';
import { budgetOptionsOf, KEY_OPTIONS, keyFields, mergeBudget } from './key-options.ts';
import { showSecret } from './show-key.ts';

/** `keys create`: the key is printed, and kept nowhere. */
export const createKeyCommand = storeCommand({
  summary: 'Make a key. It alone goes to stdout, so that $(gateway keys create) is the key.',
  options: {
    user: {
      value: 'user_id',
      help: 'Whose key it is, made if there is no such user; else it gets a user of its own',
    },
    ...KEY_OPTIONS,
  },
  prepare(invocation) {
    const fields = keyFields(invocation, Date.now());
    const budget = mergeBudget(budgetOptionsOf(invocation), null);
    const userId = invocation.value('user');
    return async ({ state, models, output, json }) => {
      warnOfModels(fields.allowedModels, { models, output });
      const { users, keys } = state.identity;
      const isNew = userId === undefined || !(await isThere(users, userId));
      const made = await keys.create({ ...fields, budget, userId }).catch((error: unknown) => {
        throw withWayOut(error, userId);
      });
      const { id, userId: owner } = made.key;
      showSecret(made, `Made key ${id} for the ${isNew ? 'new ' : ''}user ${owner}.`, { output, json });
    };
  },
});

async function isThere(users: Users, userId: string): Promise<boolean> {
  try {
    return (await users.get(userId)).userId === userId;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFoundError') return false;
    throw error;
  }
}

/** Somebody may have had a reason to delete the user. */
function withWayOut(error: unknown, userId = ''): unknown {
  if (!(error instanceof AppError) || error.reason !== 'user_not_found') return error;
  const command = `gateway users create ${shellWord(userId)}`;
  return new AppError(
    error.code,
    `User ${JSON.stringify(userId)} was deleted; \`${command}\` brings it back.`,
    {
      cause: error,
    },
  );
}
