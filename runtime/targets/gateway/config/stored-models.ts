import type { Secret } from '#core/text/redactions.ts';
import type { StoredEntries } from '../accounts/registry/model-entries.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { EncoderProgram, ProviderInstance } from '../providers/adapters/provider.ts';
import type { Alias } from '../requests/routing/routing.ts';

/** What a stored entry comes to in a gateway, with its file and its environment. */
export type EntryOutcome<Value> =
  | {
      readonly status: 'active';
      readonly value: Value;
      /** What is omitted of it, e.g. a target of an alias whose provider does not exist. */
      readonly problem: string | null;
    }
  /** The configuration file has an entry of the same name, which is used instead. */
  | { readonly status: 'shadowed'; readonly problem: string }
  | { readonly status: 'invalid'; readonly problem: string };

export type ConfiguredProvider = ProviderInstance | EncoderProgram;

/** The models of the configuration file and the valid entries of the database. */
interface MergedModels {
  readonly models: ModelsConfig;
  readonly providers: ReadonlyMap<string, EntryOutcome<ConfiguredProvider>>;
  readonly aliases: ReadonlyMap<string, EntryOutcome<Alias>>;
  /** Secrets of stored entries, which logs and answers must not contain. */
  readonly secrets: readonly Secret[];
}

/** Adds stored entries to the models of a configuration. An invalid entry is omitted and affects no other one. */
export type WithStored = (stored: StoredEntries) => MergedModels;
