import type {
  EntrySettings,
  ModelEntries,
  StoredAlias,
  StoredProvider,
} from '../accounts/registry/model-entries.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { Alias } from '../requests/routing/routing.ts';
import type { ConfiguredProvider, WithStored } from '../config/stored-models.ts';

/** Where an entry is: in the configuration file, or in the database. */
export type EntrySource = 'file' | 'database';
export type EntryStatus = 'active' | 'shadowed' | 'invalid';

export interface Entry<Stored, Value> {
  readonly name: string;
  readonly source: EntrySource;
  readonly status: EntryStatus;
  /** Why the entry, or a part of it, is not used. */
  readonly problem: string | null;
  /** What requests use; undefined unless it is active. */
  readonly value: Value | undefined;
  /** The entry in the database; undefined for one of the file. */
  readonly stored: Stored | undefined;
}

export interface RegisteredProvider extends Entry<StoredProvider, ConfiguredProvider> {
  /** Aliases with the provider as a target or a fallback. */
  readonly usedBy: readonly string[];
}

export type RegisteredAlias = Entry<StoredAlias, Alias>;

/** Entries of one kind: those of the configuration file, which only the file changes, and those of the database. */
export interface EntryRegistry<One> {
  /** All entries, in order of their names. */
  list(): Promise<readonly One[]>;
  /** The entry of the file, or else that of the database. Throws a NotFoundError. */
  get(name: string): Promise<One>;
  /** Throws a ConflictError for a name that exists, and an InputError for invalid settings. */
  create(name: string, settings: EntrySettings): Promise<One>;
  /** Replaces members; null removes one. Throws a ConflictError for an entry of the file. */
  change(name: string, changes: EntrySettings): Promise<One>;
  /** Throws a ConflictError for an entry of the file, and for a provider that aliases use. */
  delete(name: string): Promise<void>;
}

export interface RegistryParts {
  readonly entries: ModelEntries;
  /** The models of the configuration file, and how stored entries are added to them. */
  readonly config: () => {
    readonly models: Pick<ModelsConfig, 'providers' | 'aliases'>;
    readonly withStored: WithStored;
  };
  /** Called after a change is stored. */
  readonly onChange?: (() => Promise<void>) | undefined;
}
