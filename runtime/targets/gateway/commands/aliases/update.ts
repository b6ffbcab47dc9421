import { exactly } from '#serve/cli/positionals.ts';
import { requireChanges } from '../options/require-changes.ts';
import { storeCommand } from '../store/store-command.ts';
import { ALIAS_OPTIONS, aliasSettings } from './alias-options.ts';
import { aliasesOf } from './aliases-of.ts';
import { showAlias } from './show-alias.ts';

export const updateAliasCommand = storeCommand({
  summary: 'Change an alias of the database. Running gateways apply the change within a second.',
  positionals: '<name>',
  options: { ...ALIAS_OPTIONS, 'no-fallbacks': { help: 'Remove all fallbacks' } },
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    const cleared = invocation.flag('no-fallbacks') ? { fallbacks: null } : {};
    const changes = { ...cleared, ...aliasSettings(invocation) };
    requireChanges(changes);
    return async (context) => showAlias(await aliasesOf(context).change(name, changes), context);
  },
});
