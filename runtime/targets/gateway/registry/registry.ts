import type {
  EntrySettings,
  ModelEntries,
  StoredAlias,
  StoredProvider,
} from '../accounts/registry/model-entries.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { Alias } from '../requests/routing/routing.ts';
import type { ConfiguredProvider, WithStored, EntryOutcome } from '../config/stored-models.ts';
import { AppError } from '#contract/errors.ts';

/** Where an entry is defined: in the configuration file or in the database. */
export type EntrySource = 'file' | 'database';
export type EntryStatus = 'active' | 'shadowed' | 'invalid';

export interface Entry<Stored, Value> {
  readonly name: string;
  readonly source: EntrySource;
  readonly status: EntryStatus;
  /** Why the entry, or part of it, is not used. */
  readonly problem: string | null;
  /** The settings that requests use; undefined unless the entry is active. */
  readonly value: Value | undefined;
  /** The entry in the database; undefined for entries in the file. */
  readonly stored: Stored | undefined;
}

export interface RegisteredProvider extends Entry<StoredProvider, ConfiguredProvider> {
  /** Aliases that have the provider as a target or fallback. */
  readonly usedBy: readonly string[];
}

export type RegisteredAlias = Entry<StoredAlias, Alias>;

/**
 * Entries of one kind: those in the configuration file, which can only be changed in the file, and those in
 * the database.
 */
export interface EntryRegistry<One> {
  /** All entries, sorted by name. */
  list(): Promise<readonly One[]>;
  /** The entry in the file or, if there is none, in the database. Throws a NotFoundError. */
  get(name: string): Promise<One>;
  /** Throws a ConflictError for an existing name, and an InputError for invalid settings. */
  create(name: string, settings: EntrySettings): Promise<One>;
  /** Replaces settings; null removes a setting. Throws a ConflictError for an entry in the file. */
  change(name: string, changes: EntrySettings): Promise<One>;
  /** Throws a ConflictError for an entry in the file, and for a provider that aliases use. */
  delete(name: string): Promise<void>;
}

export interface RegistryParts {
  readonly entries: ModelEntries;
  /** The models in the configuration file, and how to add stored entries to them. */
  readonly config: () => {
    readonly models: Pick<ModelsConfig, 'providers' | 'aliases'>;
    readonly withStored: WithStored;
  };
  /** Called after a change has been stored. */
  readonly onChange?: (() => Promise<void>) | undefined;
}

interface Named {
  readonly name: string;
}

export const fileEntry = <Value extends Named>(value: Value): Entry<never, Value> => ({
  name: value.name,
  source: 'file',
  status: 'active',
  problem: null,
  value,
  stored: undefined,
});

export function storedEntry<Stored extends Named, Value>(
  stored: Stored,
  outcome: EntryOutcome<Value> = { status: 'invalid', problem: '' },
): Entry<Stored, Value> {
  const { status, problem } = outcome;
  const value = outcome.status === 'active' ? outcome.value : undefined;
  return { name: stored.name, source: 'database', status, problem, value, stored };
}

/** Entries sorted by name. An entry in the file comes before the database entry of the same name, which is not used. */
export const sortedByName = <One extends Named>(ofFile: readonly One[], stored: readonly One[]): One[] =>
  [...ofFile, ...stored].toSorted((one, other) =>
    one.name < other.name ? -1 : one.name > other.name ? 1 : 0,
  );

type Noun = 'provider' | 'alias';

const capitalized = (noun: Noun): string => (noun === 'alias' ? 'Alias' : 'Provider');

/** The error for a name that already exists. */
export const nameTaken = (noun: Noun, name: string, source: EntrySource): AppError =>
  new AppError(
    'ConflictError',
    source === 'file'
      ? `${capitalized(noun)} '${name}' is in the configuration file. Change it there, or use another name.`
      : `${capitalized(noun)} '${name}' already exists. Change it, or use another name.`,
    { reason: `${noun}_exists` },
  );

/** The error for a change to an entry that can only be changed in the file. */
export const inFile = (noun: Noun, name: string): AppError =>
  new AppError(
    'ConflictError',
    `${capitalized(noun)} '${name}' is in the configuration file, so it can only be changed there.`,
    { reason: `${noun}_in_file` },
  );

/** Throws the error for an entry that does not exist. */
export function missingEntry(noun: Noun, name: string): never {
  throw new AppError('NotFoundError', `${capitalized(noun)} '${name.slice(0, 256)}' not found`, {
    reason: `${noun}_not_found`,
  });
}

/** The error for an invalid entry, with the name of the invalid setting. */
export function entryProblem(noun: Noun, name: string, problem: string, member?: string): AppError {
  const message = `Invalid ${noun} '${name}': ${problem}`;
  const details = member === undefined ? undefined : [{ location: `body.${member}`, message }];
  return new AppError('InputError', message, { details, reason: `invalid_${noun}` });
}

/** Replaces settings of an entry; null removes a setting. */
export const withChanges = (settings: EntrySettings, changes: EntrySettings): EntrySettings =>
  Object.fromEntries(
    Object.entries({ ...settings, ...changes }).filter(([, value]) => value !== null && value !== undefined),
  );
