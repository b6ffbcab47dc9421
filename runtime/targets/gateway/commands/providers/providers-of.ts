import { createProviderRegistry } from '../../registry/provider-registry.ts';
import type { EntryRegistry, ProviderEntry } from '../../registry/registry.ts';
import type { StoreContext } from '../store/store-command.ts';

/** The providers of the database and of the configuration file of the command. */
export const providersOf = ({
  state,
  config,
}: Pick<StoreContext, 'state' | 'config'>): EntryRegistry<ProviderEntry> =>
  createProviderRegistry({ entries: state.modelEntries, config: () => config.fileModels });
