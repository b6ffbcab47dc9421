import { AppError } from '#contract/errors.ts';
import type { EntrySettings } from '../accounts/registry/model-entries.ts';
import type { EntrySource } from './registry.ts';

type Noun = 'provider' | 'alias';

const capitalized = (noun: Noun): string => (noun === 'alias' ? 'Alias' : 'Provider');

/** The error for a name that cannot be used again. */
export const nameTaken = (noun: Noun, name: string, source: EntrySource): AppError =>
  new AppError(
    'ConflictError',
    source === 'file'
      ? `${capitalized(noun)} '${name}' is in the configuration file. Change it there, or use another name.`
      : `${capitalized(noun)} '${name}' already exists. Change it, or use another name.`,
    { reason: `${noun}_exists` },
  );

/** The error for a change of an entry that only the file changes. */
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

/** The error for an invalid entry, with the member that the problem is about. */
export function entryProblem(noun: Noun, name: string, problem: string, member?: string): AppError {
  const message = `Invalid ${noun} '${name}': ${problem}`;
  const details = member === undefined ? undefined : [{ location: `body.${member}`, message }];
  return new AppError('InputError', message, { details, reason: `invalid_${noun}` });
}

/** Replaces members of an entry; null removes one. */
export const withChanges = (settings: EntrySettings, changes: EntrySettings): EntrySettings =>
  Object.fromEntries(
    Object.entries({ ...settings, ...changes }).filter(([, value]) => value !== null && value !== undefined),
  );
