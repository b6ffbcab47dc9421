import { createAliasRegistry } from '../../registry/alias-registry.ts';
import type { AliasEntry, EntryRegistry } from '../../registry/registry.ts';
import type { StoreContext } from '../store/store-command.ts';

/** The aliases of the database and of the configuration file of the command. */
export const aliasesOf = ({
  state,
  config,
}: Pick<StoreContext, 'state' | 'config'>): EntryRegistry<AliasEntry> =>
  createAliasRegistry({ entries: state.modelEntries, config: () => config.fileModels });
