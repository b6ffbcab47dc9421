import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import { findKey } from './find-key.ts';
import { showKey } from './show-key.ts';

export const getKeyCommand = storeCommand({
  summary: 'Show a key, without its secret.',
  positionals: '<id|name|prefix>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    return async ({ state, output, json }) => {
      showKey(await findKey(state.identity.keys, text), { output, json });
    };
  },
});
