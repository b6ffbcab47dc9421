import { exactly } from '../../../../serve/cli/positionals.ts';
import { storedProvider } from '../../config/schemas/stored-entries.ts';
import { requireChanges } from '../options/require-changes.ts';
import { storeCommand } from '../store/store-command.ts';
import { PROVIDER_OPTIONS, providerSettings } from './provider-options.ts';
import { providersOf } from './providers-of.ts';
import { showProvider, warnWithoutMasterKey } from './show-provider.ts';

export const updateProviderCommand = storeCommand({
  summary: 'Change a provider of the database. Running gateways apply the change within a second.',
  positionals: '<name>',
  options: {
    ...PROVIDER_OPTIONS,
    clear: {
      value: 'setting',
      help: 'Setting to remove, e.g. headers',
      choices: Object.keys(storedProvider.properties),
      repeatable: true,
    },
  },
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    const cleared = Object.fromEntries(invocation.values('clear').map((setting) => [setting, null]));
    const isChanged = Object.keys(PROVIDER_OPTIONS).some((option) => invocation.given(option));
    requireChanges({ ...cleared, isChanged: isChanged || undefined });
    return async (context) => {
      const changes = { ...cleared, ...(await providerSettings(invocation)) };
      const changed = await providersOf(context).change(name, changes);
      showProvider(changed, context);
      warnWithoutMasterKey(changed, context);
    };
  },
});
