import { exactly } from '#serve/cli/positionals.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { aliasesOf } from './aliases-of.ts';

export const deleteAliasCommand = storeCommand({
  summary: 'Delete an alias of the database.',
  positionals: '<name>',
  options: {},
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    return async (context) => {
      await aliasesOf(context).delete(name);
      printResult(context, { name, deleted: true }, `Deleted alias ${name}.`);
    };
  },
});
