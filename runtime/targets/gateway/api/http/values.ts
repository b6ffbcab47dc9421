import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import { type Nanos, nanosOf, dollarsOf } from '../../shared/money.ts';

// Conversions for members and parameters that a schema cannot fully describe.

type Maybe<Value> = Value | null | undefined;

/** Converts a value; null and undefined are returned unchanged. */
function mapPresent<Value, Result>(value: Maybe<Value>, read: (value: Value) => Result): Maybe<Result> {
  if (value === null) return null;
  return value === undefined ? undefined : read(value);
}

export function nanosIn(name: string, dollars: number): Nanos {
  const nanos = nanosOf(dollars);
  // The schema only accepts valid amounts, so this cannot happen.
  if (nanos === undefined) throw inputProblem(`body.${name}`, `${name} is not a valid amount: ${dollars}`);
  return nanos;
}

export const nanosOrNull = (name: string, dollars: Maybe<number>): Maybe<Nanos> =>
  mapPresent(dollars, (amount) => nanosIn(name, amount));

export const millisecondsOrNull = (name: string, value: Maybe<string | number>): Maybe<number> =>
  mapPresent(value, (moment) => readMoment('body', name, moment));

/** Parses a time in the query; undefined if it is missing. */
export function momentOf(c: Context, name: string): number | undefined {
  const value = c.req.query(name);
  return value === undefined || value === '' ? undefined : readMoment('query', name, value);
}

function readMoment(where: string, name: string, value: string | number): number {
  const time = parseTimestamp(value);
  if (time !== undefined) return time;
  throw inputProblem(
    `${where}.${name}`,
    `${name} must be a time such as 2030-01-31T12:00:00Z or a Unix timestamp, not ${JSON.stringify(value).slice(0, 80)}`,
  );
}

const inputProblem = (location: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location, message }] });

export const dollarsOrNull = (nanos: Nanos | null): number | null =>
  nanos === null ? null : dollarsOf(nanos);

export const rfc3339OrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : rfc3339(milliseconds);
