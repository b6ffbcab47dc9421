import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import { PROVIDER_OPTIONS, providerSettings } from './provider-options.ts';
import { providersOf } from './providers-of.ts';
import { showProvider, warnWithoutMasterKey } from './show-provider.ts';

export const createProviderCommand = storeCommand({
  summary: 'Create a provider. Running gateways use it within a second.',
  positionals: '<name>',
  options: PROVIDER_OPTIONS,
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    return async (context) => {
      const providers = await providersOf(context);
      const created = await providers.create(name, await providerSettings(invocation));
      showProvider(created, context);
      warnWithoutMasterKey(created, context);
    };
  },
});
