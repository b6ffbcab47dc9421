import { UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import { ALIAS_OPTIONS, aliasSettings } from './alias-options.ts';
import { aliasesOf } from './aliases-of.ts';
import { showAlias } from './show-alias.ts';

export const createAliasCommand = storeCommand({
  summary: 'Create an alias of one or several models. Running gateways use it within a second.',
  positionals: '<name>',
  options: ALIAS_OPTIONS,
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    const settings = aliasSettings(invocation);
    if (settings['targets'] === undefined)
      throw new UsageError('--target is missing; set at least one model, e.g. --target openai:gpt-5-mini.');
    return async (context) => showAlias(await aliasesOf(context).create(name, settings), context);
  },
});
