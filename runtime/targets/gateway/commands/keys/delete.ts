import { exactly } from '#serve/cli/positionals.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { findKey } from './find-key.ts';

export const deleteKeyCommand = storeCommand({
  summary: 'Delete a key permanently. Its usage is kept.',
  positionals: '<id|name|prefix>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findKey(identity.keys, text);
      await identity.keys.delete(id);
      printResult({ output, json }, { id, deleted: true }, `Deleted key ${id}.`);
    };
  },
});
