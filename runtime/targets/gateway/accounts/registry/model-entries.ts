/** An entry, using the configuration file's keys. */
export type EntrySettings = Readonly<Record<string, unknown>>;

interface StoredEntry {
  readonly name: string;
  readonly settings: EntrySettings;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type StoredAlias = StoredEntry;

/** A provider; its settings contain no secrets. */
export interface StoredProvider extends StoredEntry {
  /** Names of its secrets, e.g. `api_key` and `headers.X-Team`. */
  readonly secretNames: readonly string[];
  /** Undefined if they cannot be decrypted, because they were stored with another master key or for another address. */
  readonly secrets: EntrySettings | undefined;
}

/** Providers and aliases in the database, sorted by name. */
export interface StoredEntries {
  readonly providers: readonly StoredProvider[];
  readonly aliases: readonly StoredAlias[];
}

/** An entry's new state; an entry without settings is deleted. */
export type EntryChange =
  | { readonly kind: 'alias'; readonly name: string; readonly settings: EntrySettings | undefined }
  | {
      readonly kind: 'provider';
      readonly name: string;
      readonly settings: EntrySettings | undefined;
      /** Undefined keeps the stored ones. */
      readonly secrets?: EntrySettings | undefined;
    };

/** Stores providers and aliases created at run time. */
export interface ModelEntries {
  /** The database revision, at most one second old. Only returns a promise if the database must be read. */
  revision(): number | Promise<number>;
  read(): Promise<StoredEntries>;
  /** Changes one entry in a transaction. `decide` receives the entries as of the transaction, and can throw. */
  change(decide: (stored: StoredEntries) => EntryChange): Promise<void>;
}
