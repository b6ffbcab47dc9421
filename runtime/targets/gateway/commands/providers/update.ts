import { exactly } from '#serve/cli/positionals.ts';
import type { StoredProviderEntry } from '../../config/schemas/stored-entries.ts';
import { requireChanges } from '../options/require-changes.ts';
import { storeCommand } from '../store/store-command.ts';
import { PROVIDER_OPTIONS, providerSettings } from './provider-options.ts';
import { providersOf } from './providers-of.ts';
import { showProvider, warnWithoutMasterKey } from './show-provider.ts';

/** The settings of a stored provider, without their schema, which takes longer to load than the rest of the command. */
const SETTINGS: Readonly<Record<keyof StoredProviderEntry, true>> = {
  type: true,
  api_key: true,
  api_base: true,
  headers: true,
  local: true,
  models: true,
  timeouts: true,
  max_connections: true,
  max_response_bytes: true,
  dialect: true,
  api_version: true,
  deployments: true,
  entra: true,
  aws: true,
  google: true,
  priced_as: true,
};

export const updateProviderCommand = storeCommand({
  summary: 'Change a provider of the database. Running gateways apply the change within a second.',
  positionals: '<name>',
  options: {
    ...PROVIDER_OPTIONS,
    clear: {
      value: 'setting',
      help: 'Setting to remove, e.g. headers',
      choices: Object.keys(SETTINGS),
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
      const providers = await providersOf(context);
      const changed = await providers.change(name, changes);
      showProvider(changed, context);
      warnWithoutMasterKey(changed, context);
    };
  },
});
