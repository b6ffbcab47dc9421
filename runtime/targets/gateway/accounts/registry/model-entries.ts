/** An entry in the vocabulary of the configuration file. */
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
  /** Undefined if they cannot be decrypted: they were stored with another master key, or for another address. */
  readonly secrets: EntrySettings | undefined;
}

/** Providers and aliases in the database, in order of their names. */
export interface StoredEntries {
  readonly providers: readonly StoredProvider[];
  readonly aliases: readonly StoredAlias[];
}

/** The new state of an entry; an entry without settings is deleted. */
export type EntryChange =
  | { readonly kind: 'alias'; readonly name: string; readonly settings: EntrySettings | undefined }
  | {
      readonly kind: 'provider';
      readonly name: string;
      readonly settings: EntrySettings | undefined;
      /** Undefined keeps those that are stored. */
      readonly secrets?: EntrySettings | undefined;
    };

/** Stores providers and aliases that are created at run time. */
export interface ModelEntries {
  /** The revision of the database, at most one second old. A promise only if the database must be read. */
  revision(): number | Promise<number>;
  read(): Promise<StoredEntries>;
  /** Changes one entry in a transaction. `decide` gets the entries as they are in it, and can throw. */
  change(decide: (stored: StoredEntries) => EntryChange): Promise<void>;
}
