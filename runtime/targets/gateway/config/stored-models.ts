import type { Secret } from '#core/text/redactions.ts';
import type { StoredEntries } from '../accounts/registry/model-entries.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { EncoderProgram, ProviderInstance } from '../providers/adapters/provider.ts';
import type { Alias } from '../requests/routing/routing.ts';

/** The result of resolving a stored entry with the gateway's file and environment. */
export type EntryOutcome<Value> =
  | {
      readonly status: 'active';
      readonly value: Value;
      /** The omitted parts, e.g. an alias target whose provider does not exist. */
      readonly problem: string | null;
    }
  /** The configuration file has an entry with the same name, which takes precedence. */
  | { readonly status: 'shadowed'; readonly problem: string }
  | { readonly status: 'invalid'; readonly problem: string };

export type ConfiguredProvider = ProviderInstance | EncoderProgram;

/** The models in the configuration file and the valid entries in the database. */
interface MergedModels {
  readonly models: ModelsConfig;
  readonly providers: ReadonlyMap<string, EntryOutcome<ConfiguredProvider>>;
  readonly aliases: ReadonlyMap<string, EntryOutcome<Alias>>;
  /** Secrets in stored entries, to be redacted in logs and responses. */
  readonly secrets: readonly Secret[];
}

/** Adds stored entries to a configuration's models. An invalid entry is omitted and affects no other one. */
export type WithStored = (stored: StoredEntries) => MergedModels;
