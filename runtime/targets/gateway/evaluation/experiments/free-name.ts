import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import type { Owner } from '../../shared/owner.ts';

/** The requested name or, if the owner has an experiment with this name, the name with a timestamp, as in the reference API. */
export async function freeName(
  trx: Kysely<Schema>,
  name: string,
  owner: Owner | null,
  now: number,
): Promise<string> {
  let candidate = name;
  // Microseconds distinguish several experiments of the same millisecond.
  for (let later = 0; await isTaken(trx, candidate, owner); later += 1)
    candidate = `${name}_${stampOf(now, later)}`;
  return candidate;
}

/** Whether the owner has an experiment with this name. */
export async function isTaken(trx: Kysely<Schema>, name: string, owner: Owner | null): Promise<boolean> {
  const row = await trx
    .selectFrom('gateway_experiments')
    .select('id')
    .where('name', '=', name)
    .where('space', 'is not distinct from', owner?.space ?? null)
    .executeTakeFirst();
  return row !== undefined;
}

/** A timestamp such as `20260131120000250000`. */
const stampOf = (now: number, microseconds: number): string =>
  new Date(now)
    .toISOString()
    .replaceAll(/[-:TZ.]/g, '')
    .concat(String(microseconds).padStart(3, '0'));
