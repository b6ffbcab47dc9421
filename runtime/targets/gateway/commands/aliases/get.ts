import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import { aliasesOf } from './aliases-of.ts';
import { showAlias } from './show-alias.ts';

export const getAliasCommand = storeCommand({
  summary: 'Show an alias.',
  positionals: '<name>',
  options: {},
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    return async (context) => showAlias(await aliasesOf(context).get(name), context);
  },
});
