import { AppError } from '#contract/errors.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { KeyBudget, KeyChanges, Metadata } from './identity.ts';

const MAX_ID_LENGTH = 256;
/** Maximum size of metadata as JSON. Lists of users and keys contain the metadata of every item. */
const MAX_METADATA_BYTES = 16_384;
/** Maximum length of a budget window, 100 years, so that its end has a year of four digits. */
const MAX_WINDOW_SECONDS = 3_153_600_000;
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Throws an InputError for an id that cannot be stored or used in a path. */
export function checkId(name: string, id: string): void {
  if (id === '' || id.length > MAX_ID_LENGTH || !isStorable(id)) {
    throw inputProblem(
      name,
      `Invalid ${name} ${JSON.stringify(id.slice(0, 50))}: it must have 1 to ${MAX_ID_LENGTH} characters, without null characters or unpaired surrogates.`,
    );
  }
  // HTTP clients remove these segments from paths, so routes could not be called with such an id.
  if (id === '.' || id === '..') {
    throw inputProblem(name, `Invalid ${name} ${JSON.stringify(id)}: it has a special meaning in URL paths.`);
  }
}

export const checkUserId = (userId: string): void => checkId('user_id', userId);

/** Throws an InputError if the metadata is too large. */
export function checkMetadata(metadata: Metadata | undefined): void {
  const bytes = metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= MAX_METADATA_BYTES) return;
  throw inputProblem(
    'metadata',
    `metadata has ${bytes} bytes as JSON; the maximum is ${MAX_METADATA_BYTES}.`,
  );
}

export function checkRates({ rpm, tpm, maxParallel }: Pick<KeyChanges, 'rpm' | 'tpm' | 'maxParallel'>): void {
  for (const [name, value] of Object.entries({ rpm, tpm, max_parallel: maxParallel })) {
    if (value !== null && value !== undefined) checkCount(name, value, 1);
  }
}

export function checkBudget(
  budget: { [Name in keyof KeyBudget]?: KeyBudget[Name] | undefined } | null | undefined,
): void {
  if (budget?.maxBudget !== undefined && budget.maxBudget !== null && budget.maxBudget < 0n) {
    throw inputProblem('max_budget', 'max_budget is negative; it must be 0 or more, or null for no limit.');
  }
  const seconds = budget?.budgetDurationSec;
  if (seconds === undefined || seconds === null) return;
  checkCount('budget_duration_sec', seconds, 1);
  if (seconds > MAX_WINDOW_SECONDS) {
    throw inputProblem(
      'budget_duration_sec',
      `budget_duration_sec is ${seconds}; the maximum is ${MAX_WINDOW_SECONDS}. Use null for a budget without resets.`,
    );
  }
}

/** Throws an InputError for invalid settings, including an expiry in the past, which is always a mistake. */
export function checkKey(changes: KeyChanges, now: number): void {
  checkRates(changes);
  checkBudget(changes.budget);
  checkMetadata(changes.metadata);
  const { expiresAt } = changes;
  if (expiresAt === undefined || expiresAt === null) return;
  if (!(expiresAt <= MAX_TIME)) {
    throw inputProblem(
      'expires_at',
      'expires_at must be a time before the year 10000, or null for a key that does not expire.',
    );
  }
  if (expiresAt <= now) {
    throw inputProblem(
      'expires_at',
      `expires_at ${new Date(expiresAt).toISOString()} is in the past. Use a later time, or null for a key that does not expire.`,
    );
  }
}

export function checkCount(name: string, value: number, minimum: number): void {
  if (!Number.isSafeInteger(value) || value < minimum) {
    throw inputProblem(
      name,
      `${name} is ${value}; it must be an integer of at least ${minimum}, or null for no limit.`,
    );
  }
}

/** The error for a missing object. Its messages have the form of the reference API: `User with id 'x' not found`. */
export const notFound = (message: string, reason: string): AppError =>
  new AppError('NotFoundError', message, { reason });

/** The error for an invalid field of a request. */
export const inputProblem = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `body.${name}`, message }] });
