import { exactly } from '#serve/cli/positionals.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { findUser } from './find-user.ts';

export const deleteUserCommand = storeCommand({
  summary: 'Delete a user. Its keys are disabled and its usage is kept.',
  positionals: '<user_id|alias>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<user_id|alias>');
    return async ({ state: { identity }, output, json }) => {
      const { userId } = await findUser(identity.users, text);
      await identity.users.delete(userId);
      printResult(
        { output, json },
        { user_id: userId, deleted: true },
        `Deleted user ${userId} and disabled its keys.`,
      );
    };
  },
});
