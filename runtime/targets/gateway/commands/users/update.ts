import { exactly } from '#serve/cli/positionals.ts';
import { readToggle } from '../options/toggle.ts';
import { requireChanges } from '../options/require-changes.ts';
import { storeCommand } from '../store/store-command.ts';
import { findUser } from './find-user.ts';
import { showUser } from './show-user.ts';
import { budgetIdOf, USER_OPTIONS, userFields } from './user-options.ts';

export const updateUserCommand = storeCommand({
  summary: 'Change, block or unblock a user. A running gateway applies the change within a second.',
  positionals: '<user_id|alias>',
  options: {
    block: { help: 'Reject requests of the user' },
    unblock: { help: 'Accept requests of the user again' },
    ...USER_OPTIONS,
  },
  prepare(invocation) {
    const [text] = exactly(invocation, '<user_id|alias>');
    const budget = invocation.value('budget');
    const fields = { ...userFields(invocation), blocked: readToggle(invocation, 'block', 'unblock') };
    requireChanges({ ...fields, budget });
    return async ({ state: { identity, budgets }, output, json }) => {
      const { userId } = await findUser(identity.users, text);
      const budgetId = await budgetIdOf(budgets, budget);
      showUser(await identity.users.change(userId, { ...fields, budgetId }), { output, json });
    };
  },
});
