import type { EntryRegistry, ProviderEntry } from '../../registry/registry.ts';
import type { StoreContext } from '../store/store-command.ts';

/** The providers of the database and of the configuration file of the command. */
export async function providersOf({
  state,
  config,
}: Pick<StoreContext, 'state' | 'config'>): Promise<EntryRegistry<ProviderEntry>> {
  const { createProviderRegistry } = await import('../../registry/provider-registry.ts');
  return createProviderRegistry({ entries: state.modelEntries, config: () => config.fileModels });
}
