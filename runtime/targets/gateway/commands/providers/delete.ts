import { exactly } from '#serve/cli/positionals.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { providersOf } from './providers-of.ts';

export const deleteProviderCommand = storeCommand({
  summary: 'Delete a provider of the database, which no alias can use.',
  positionals: '<name>',
  options: {},
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    return async (context) => {
      await (await providersOf(context)).delete(name);
      printResult(context, { name, deleted: true }, `Deleted provider ${name}.`);
    };
  },
});
