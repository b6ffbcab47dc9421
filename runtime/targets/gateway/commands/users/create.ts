import { AppError } from '#contract/errors.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { shellWord } from '#core/text/shell-word.ts';
import { storeCommand } from '../store/store-command.ts';
import { showUser } from './show-user.ts';
import { budgetIdOf, USER_OPTIONS, userFields } from './user-options.ts';

export const createUserCommand = storeCommand({
  summary: 'Create a user.',
  positionals: '<user_id>',
  options: {
    blocked: { help: 'Reject requests of the user' },
    team: { value: 'team_id', help: 'Create a service account of this team' },
    ...USER_OPTIONS,
  },
  prepare(invocation) {
    const [userId] = exactly(invocation, '<user_id>');
    const fields = { ...userFields(invocation), blocked: invocation.flag('blocked') };
    const teamId = invocation.value('team');
    return async ({ state, output, json }) => {
      const budgetId = await budgetIdOf(state.budgets, invocation.value('budget'));
      const user = await state.identity.users
        .create({ ...fields, userId, teamId, budgetId })
        .catch((error: unknown) => {
          throw withRemedy(error, userId);
        });
      showUser(user, { output, json });
    };
  },
});

function withRemedy(error: unknown, userId: string): unknown {
  if (!(error instanceof AppError) || error.reason !== 'user_exists') return error;
  return new AppError(
    'ConflictError',
    `${error.message}. Change it with \`gateway users update ${shellWord(userId)}\`.`,
    {
      cause: error,
    },
  );
}
