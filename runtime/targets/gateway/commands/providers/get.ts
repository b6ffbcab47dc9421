import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import { providersOf } from './providers-of.ts';
import { showProvider } from './show-provider.ts';

export const getProviderCommand = storeCommand({
  summary: 'Show a provider, without the values of its secrets.',
  positionals: '<name>',
  options: {},
  needsMasterKey: true,
  prepare(invocation) {
    const [name] = exactly(invocation, '<name>');
    return async (context) => showProvider(await (await providersOf(context)).get(name), context);
  },
});
