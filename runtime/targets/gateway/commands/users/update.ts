import { exactly } from '../../../../serve/cli/positionals.ts';
import { eitherSwitch } from '../options/either-switch.ts';
import { requireChanges } from '../options/require-changes.ts';
import { storeCommand } from '../store/store-command.ts';
import { findUser } from './find-user.ts';
import { showUser } from './show-user.ts';
import { budgetIdOf, USER_OPTIONS, userFields } from './user-options.ts';

export const updateUserCommand = storeCommand({
  summary: 'Change a user, block or unblock it. A running gateway notices within a second.',
  positionals: '<user_id|alias>',
  options: {
    block: { help: 'Refuse its requests' },
    unblock: { help: 'Let its requests in again' },
    ...USER_OPTIONS,
  },
  prepare(invocation) {
    const [text] = exactly(invocation, '<user_id|alias>');
    const budget = invocation.value('budget');
    const fields = { ...userFields(invocation), blocked: eitherSwitch(invocation, 'block', 'unblock') };
    requireChanges({ ...fields, budget });
    return async ({ state: { identity, budgets }, output, json }) => {
      const { userId } = await findUser(identity.users, text);
      const budgetId = await budgetIdOf(budgets, budget);
      showUser(await identity.users.change(userId, { ...fields, budgetId }), { output, json });
    };
  },
});
