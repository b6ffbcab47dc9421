/** Tables of providers and aliases that are created at run time, with the conventions of `Schema`. */
export interface ModelEntrySchema {
  gateway_providers: ProviderRow;
  gateway_aliases: AliasRow;
}

export interface ProviderRow {
  readonly name: string;
  /** The entry as JSON, as in the configuration file, without secrets. */
  readonly settings: string;
  /** List of the names of secrets as JSON. */
  readonly secret_names: string;
  /** The secrets, encrypted; null if there are none. */
  readonly secrets: Uint8Array | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface AliasRow {
  readonly name: string;
  /** The entry as JSON, as in the configuration file. */
  readonly settings: string;
  readonly created_at: number;
  readonly updated_at: number;
}
