import { AppError } from '#contract/errors.ts';
import { isStorable } from '../../store/storable-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { codePoints } from '#core/text/code-points.ts';
import { isTimeZone, TIME_ZONE_PROBLEM } from '#core/time/calendar.ts';
import { LAST_TIME } from '#core/time/timestamp.ts';
import {
  type BudgetLimit,
  limitId,
  limitText,
  MAX_LIMIT_PATTERNS,
  MAX_LIMITS,
} from '../fields/budget-limits.ts';
import { isToolLabel, TOOL_LABEL_RULE } from '../../shared/tool-label.ts';
import { MAX_QUEUE_SECONDS } from '../fields/shared-fields.ts';
import { type FieldTable, MAX_LABELS, MAX_PATTERNS, MAX_TEXT_LENGTH, nameOf } from '../fields/field.ts';

/** Maximum size of metadata as JSON. Lists of users and keys contain every item's metadata. */
const MAX_METADATA_BYTES = 16_384;
/** Maximum length of a budget window, 100 years, so that its end has a four-digit year. */
const MAX_WINDOW_SECONDS = 3_153_600_000;

/** Throws an InputError for an ID that cannot be stored or used in a path. */
export function checkId(name: string, id: string): void {
  if (id === '' || id.length > MAX_TEXT_LENGTH || !isStorable(id)) {
    throw inputProblem(
      name,
      `Invalid ${name} ${JSON.stringify(id.slice(0, 50))}: it must have 1 to ${MAX_TEXT_LENGTH} characters, without null characters or unpaired surrogates.`,
    );
  }
  // HTTP clients remove these segments from paths, so routes with such an ID could not be called.
  if (id === '.' || id === '..') {
    throw inputProblem(name, `Invalid ${name} ${JSON.stringify(id)}: it has a special meaning in URL paths.`);
  }
}

export const checkUserId = (userId: string): void => checkId('user_id', userId);

/** Throws an InputError for a value that is invalid for the field's kind. */
export function checkFields(table: FieldTable, changes: object): void {
  const values = membersOf(changes);
  for (const [name, field] of Object.entries(table)) {
    const value = values[nameOf(name, field)];
    if (value === undefined || value === null) continue;
    if (field.kind === 'rate' && typeof value === 'number') checkCount(name, value, 1);
    if (field.kind === 'wait' && typeof value === 'number') checkWait(name, value);
    if (field.kind === 'metadata') checkMetadata(name, value);
    if (field.kind === 'amount' && typeof value === 'bigint') checkAmount(name, value);
    if (field.kind === 'seconds' && typeof value === 'number') checkSeconds(name, value);
    if ((field.kind === 'text' || field.kind === 'zone') && typeof value === 'string')
      checkLength(name, value, field.maxLength);
    if (field.kind === 'models' && Array.isArray(value)) checkPatterns(name, value);
    if (field.kind === 'labels' && Array.isArray(value)) checkLabels(name, value);
    if (field.kind === 'limits') checkLimits(name, value as readonly BudgetLimit[]);
    if (field.kind === 'parts') checkFields(field.parts, membersOf(value));
  }
}

function checkLength(name: string, text: string, maxLength = MAX_TEXT_LENGTH): void {
  const length = codePoints(text);
  if (length <= maxLength) return;
  throw inputProblem(name, `${name} has ${length} characters; the maximum is ${maxLength}.`);
}

function checkPatterns(name: string, patterns: readonly string[], max = MAX_PATTERNS): void {
  if (patterns.length > max)
    throw inputProblem(name, `${name} has ${patterns.length} patterns; the maximum is ${max}.`);
  for (const pattern of patterns) checkLength(name, pattern);
}

/** Throws for labels that no configuration can have, because all requests of such a key would fail. */
function checkLabels(name: string, labels: readonly string[]): void {
  checkPatterns(name, labels, MAX_LABELS);
  const invalid = labels.find((label) => !isToolLabel(label));
  if (invalid !== undefined)
    throw inputProblem(
      name,
      `${name}: ${JSON.stringify(invalid)} is not the label of an MCP server: ${TOOL_LABEL_RULE}.`,
    );
}

function checkLimits(name: string, limits: readonly BudgetLimit[]): void {
  if (limits.length > MAX_LIMITS)
    throw inputProblem(name, `${name} has ${limits.length} limits; the maximum is ${MAX_LIMITS}.`);
  for (const { maxBudget, budgetDurationSec: seconds, calendar, timeZone, models } of limits) {
    checkAmount(name, maxBudget);
    if (seconds !== null) checkSeconds(name, seconds);
    if (seconds !== null && calendar !== null)
      throw inputProblem(
        name,
        `${name}: calendar and budget_duration_sec are mutually exclusive. Set one of them.`,
      );
    if (timeZone !== null && calendar === null)
      throw inputProblem(name, `${name}: time_zone requires calendar: day, week or month.`);
    if (timeZone !== null && !isTimeZone(timeZone))
      throw inputProblem(name, `${name}: ${JSON.stringify(timeZone.slice(0, 64))} ${TIME_ZONE_PROBLEM}`);
    if (models?.length === 0)
      throw inputProblem(
        name,
        `${name}: models is empty; list at least one pattern, or use null for all models.`,
      );
    if (models) checkPatterns(name, models, MAX_LIMIT_PATTERNS);
  }
  const ids = limits.map(limitId);
  const twice = limits.find((limit, at) => ids.indexOf(limitId(limit)) !== at);
  if (twice)
    throw inputProblem(
      name,
      `${name} has two limits with the same window and models: ${limitText(twice)}. Keep one of them.`,
    );
}

function checkMetadata(name: string, metadata: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= MAX_METADATA_BYTES) return;
  throw inputProblem(name, `${name} has ${bytes} bytes as JSON; the maximum is ${MAX_METADATA_BYTES}.`);
}

function checkAmount(name: string, amount: bigint): void {
  if (amount >= 0n) return;
  throw inputProblem(name, `${name} is negative; it must be 0 or more, or null for no limit.`);
}

function checkSeconds(name: string, seconds: number): void {
  checkCount(name, seconds, 1);
  if (seconds <= MAX_WINDOW_SECONDS) return;
  throw inputProblem(
    name,
    `${name} is ${seconds}; the maximum is ${MAX_WINDOW_SECONDS}. Use null for a budget without resets.`,
  );
}

function checkWait(name: string, seconds: number): void {
  if (Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= MAX_QUEUE_SECONDS) return;
  throw inputProblem(
    name,
    `${name} is ${seconds}; it must be an integer from 0 to ${MAX_QUEUE_SECONDS}, or null.`,
  );
}

/**
 * Throws an InputError for an expiry in the past, which is always a mistake, or one that cannot be
 * represented as a date.
 */
export function checkExpiry(expiresAt: number | null | undefined, now: number): void {
  if (expiresAt === undefined || expiresAt === null) return;
  if (!(expiresAt <= LAST_TIME)) {
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

/** The error for a missing object. Messages follow the reference API: `User with id 'x' not found`. */
export const notFound = (message: string, reason: string): AppError =>
  new AppError('NotFoundError', message, { reason });

/** The error for an invalid request field. */
export const inputProblem = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `body.${name}`, message }] });
