import { AppError } from '#contract/errors.ts';
import { KEY_SCOPES, type Users } from '../../accounts/identity/identity.ts';
import { shellWord } from '#core/text/shell-word.ts';
import { storeCommand } from '../store/store-command.ts';
import { warnAboutModels } from './warn-about-models.ts';
import { budgetOptionsOf, KEY_OPTIONS, keyFields, mergeBudget } from './key-options.ts';
import { showSecret } from './show-key.ts';

/** `keys create` prints the key, which is not stored. */
export const createKeyCommand = storeCommand({
  summary: 'Create a key. Only the key is printed to stdout, so $(gateway keys create) works.',
  options: {
    user: {
      value: 'user_id',
      help: 'Owner of the key, created if missing',
      defaultText: 'a new user for this key',
    },
    team: { value: 'team_id', help: 'Team whose budget, limits and models apply too', defaultText: 'none' },
    scope: {
      value: 'scope',
      help: 'models: call models; manage: manage the gateway with the role of the owner',
      choices: KEY_SCOPES,
      defaultText: 'models',
    },
    ...KEY_OPTIONS,
    expires: { ...KEY_OPTIONS.expires, defaultText: 'never' },
    model: { ...KEY_OPTIONS.model, defaultText: 'all' },
    budget: { ...KEY_OPTIONS.budget, defaultText: 'no limit' },
    'budget-every': { ...KEY_OPTIONS['budget-every'], defaultText: 'no reset' },
  },
  prepare(invocation) {
    const fields = keyFields(invocation, Date.now());
    const budget = mergeBudget(budgetOptionsOf(invocation), null);
    const userId = invocation.value('user');
    const teamId = invocation.value('team');
    const scope = KEY_SCOPES.find((known) => known === invocation.value('scope'));
    return async ({ state, models, output, json }) => {
      await warnAboutModels(fields.allowedModels, { models, state, output });
      const { users, keys } = state.identity;
      const isNew = userId === undefined || !(await exists(users, userId));
      const created = await keys
        .create({ ...fields, budget, userId, teamId, scope })
        .catch((error: unknown) => {
          throw withRemedy(error, userId);
        });
      const { id, userId: owner } = created.key;
      showSecret(created, `Created key ${id} for ${isNew ? 'the new ' : ''}user ${owner}.`, { output, json });
    };
  },
});

async function exists(users: Users, userId: string): Promise<boolean> {
  try {
    return (await users.get(userId)).userId === userId;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFoundError') return false;
    throw error;
  }
}

/** A deleted user is not restored automatically, because it can have been deleted to disable its keys. */
function withRemedy(error: unknown, userId = ''): unknown {
  if (!(error instanceof AppError) || error.reason !== 'user_not_found') return error;
  const command = `gateway users create ${shellWord(userId)}`;
  return new AppError(
    error.code,
    `User ${JSON.stringify(userId)} was deleted. Restore it with \`${command}\`.`,
    {
      cause: error,
    },
  );
}
