import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import { findUser } from './find-user.ts';
import { showUser } from './show-user.ts';

export const getUserCommand = storeCommand({
  summary: 'Show a user.',
  positionals: '<user_id|alias>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<user_id|alias>');
    return async ({ state, output, json }) =>
      showUser(await findUser(state.identity.users, text), { output, json });
  },
});
