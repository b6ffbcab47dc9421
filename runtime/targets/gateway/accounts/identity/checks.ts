import { AppError } from '../../../../contract/errors.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { KeyBudget, KeyChanges, Metadata } from './identity.ts';

const MOST_ID_LENGTH = 256;
const MOST_METADATA_BYTES = 16_384;
/** A hundred years. Windows that end after the year 9999 could not be written down. */
const LONGEST_WINDOW = 3_153_600_000;
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Throws an InputError. */
export function checkUserId(userId: string): void {
  if (userId === '' || userId.length > MOST_ID_LENGTH || !isStorable(userId)) {
    throw wrong(
      'user_id',
      `The user_id ${JSON.stringify(userId.slice(0, 50))} cannot be used: it must have 1 to ${MOST_ID_LENGTH} characters, none of them a zero or half a surrogate pair.`,
    );
  }
  // No client can ask for the path that would name it.
  if (userId === '.' || userId === '..') {
    throw wrong(
      'user_id',
      `The user_id ${JSON.stringify(userId)} cannot be used: in a path it means another place.`,
    );
  }
}

/** It is for notes; whoever lists a thousand users gets all of them. */
export function checkMetadata(metadata: Metadata | undefined): void {
  const bytes = metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= MOST_METADATA_BYTES) return;
  throw wrong('metadata', `metadata has ${bytes} bytes as JSON; it may have ${MOST_METADATA_BYTES} at most.`);
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
    throw wrong('max_budget', 'max_budget is negative; it must be 0 or more, or null for no limit.');
  }
  const seconds = budget?.budgetDurationSec;
  if (seconds === undefined || seconds === null) return;
  checkCount('budget_duration_sec', seconds, 1);
  if (seconds > LONGEST_WINDOW) {
    throw wrong(
      'budget_duration_sec',
      `budget_duration_sec is ${seconds}; it may be ${LONGEST_WINDOW} at most, or null for a window that never ends.`,
    );
  }
}

/** A key that has expired already is nobody's wish. */
export function checkKey(changes: KeyChanges, now: number): void {
  checkRates(changes);
  checkBudget(changes.budget);
  checkMetadata(changes.metadata);
  const { expiresAt } = changes;
  if (expiresAt === undefined || expiresAt === null) return;
  if (!(expiresAt <= LAST_TIME)) {
    throw wrong(
      'expires_at',
      'expires_at is no time up to the year 9999. Choose an earlier one, or null for a key that does not expire.',
    );
  }
  if (expiresAt <= now) {
    throw wrong(
      'expires_at',
      `expires_at ${new Date(expiresAt).toISOString()} is in the past. Choose a later time, or null for a key that does not expire.`,
    );
  }
}

export function checkCount(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw wrong(
      name,
      `${name} is ${value}; it must be a whole number, ${least} or more, or null for no limit.`,
    );
  }
}

/** In the reference's words, `User with id 'x' not found`. */
export const notFound = (message: string, reason: string): AppError =>
  new AppError('NotFoundError', message, { reason });

const wrong = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `body.${name}`, message }] });
