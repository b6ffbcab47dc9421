import type { Context } from 'hono';
import { AppError } from '../../../../contract/errors.ts';
import { type Nanos, nanosOf } from '../../shared/money.ts';
import { parseTimestamp } from '../../../../core/time/timestamp.ts';

// What members of bodies and parameters mean, where their schema cannot say it.

type Maybe<Value> = Value | null | undefined;

/** What a member that was left out, or is null, stays. */
function given<Value, Result>(value: Maybe<Value>, read: (value: Value) => Result): Maybe<Result> {
  return value === null || value === undefined ? (value as null | undefined) : read(value);
}

/** The amount of so many dollars. */
export function nanosIn(name: string, dollars: number): Nanos {
  const nanos = nanosOf(dollars);
  // The schema lets nothing through that is no amount.
  if (nanos === undefined) throw wrong(`body.${name}`, `${name} is no amount: ${dollars}`);
  return nanos;
}

export const nanosOrNull = (name: string, dollars: Maybe<number>): Maybe<Nanos> =>
  given(dollars, (amount) => nanosIn(name, amount));

export const momentOrNull = (name: string, value: Maybe<string | number>): Maybe<number> =>
  given(value, (moment) => readMoment('body', name, moment));

/** A time in the query. */
export function momentOf(c: Context, name: string): number | undefined {
  const value = c.req.query(name);
  return value === undefined || value === '' ? undefined : readMoment('query', name, value);
}

function readMoment(where: string, name: string, value: string | number): number {
  const time = parseTimestamp(value);
  if (time !== undefined) return time;
  throw wrong(
    `${where}.${name}`,
    `${name} must be a time as 2030-01-31T12:00:00Z, or seconds since 1970, not ${JSON.stringify(value).slice(0, 80)}`,
  );
}

const wrong = (location: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location, message }] });
