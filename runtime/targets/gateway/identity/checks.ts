import { AppError, inputError } from '../../../contract/errors.ts';
import { isStorable } from '../store/storable-text.ts';
import type { KeyBudget, KeyChanges } from './api.ts';

const MOST_ID_LENGTH = 256;

/** Throws an InputError. */
export function checkUserId(userId: string): void {
  if (userId === '' || userId.length > MOST_ID_LENGTH || !isStorable(userId)) {
    throw inputError(
      `The user_id ${JSON.stringify(userId.slice(0, 50))} cannot be used: it must have 1 to ${MOST_ID_LENGTH} characters, none of them a zero or half a surrogate pair.`,
    );
  }
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
    throw inputError('max_budget is negative; it must be 0 or more, or null for no limit.');
  }
  const seconds = budget?.budgetDurationSec;
  if (seconds !== undefined && seconds !== null) checkCount('budget_duration_sec', seconds, 1);
}

/** A key that has expired already is nobody's wish. */
export function checkKey(changes: KeyChanges, now: number): void {
  checkRates(changes);
  checkBudget(changes.budget);
  const { expiresAt } = changes;
  if (expiresAt !== undefined && expiresAt !== null && !(expiresAt > now)) {
    const time = Number.isFinite(expiresAt) ? new Date(expiresAt).toISOString() : String(expiresAt);
    throw inputError(
      `expires_at ${time} is in the past. Choose a later time, or null for a key that does not expire.`,
    );
  }
}

export function checkCount(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw inputError(
      `${name} is ${value}; it must be a whole number, ${least} or more, or null for no limit.`,
    );
  }
}

/** In the reference's words, `User with id 'x' not found`. */
export const notFound = (message: string, reason: string): AppError =>
  new AppError('NotFoundError', message, { reason });
