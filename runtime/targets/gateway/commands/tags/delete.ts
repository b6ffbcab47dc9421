import { exactly } from '#serve/cli/positionals.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';

export const deleteTagCommand = storeCommand({
  summary: 'Remove the budget of a tag. Its usage stays.',
  positionals: '<tag>',
  options: {},
  prepare(invocation) {
    const [tag] = exactly(invocation, '<tag>');
    return async ({ state: { identity }, output, json }) => {
      await identity.tags.delete(tag);
      printResult({ output, json }, { tag, deleted: true }, `Removed the budget of tag ${tag}.`);
    };
  },
});
