import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';

/** The name as it is, or, if the owner has an experiment of that name, with the time behind it, as the reference does. */
export async function freeName(
  trx: Kysely<Schema>,
  name: string,
  owner: string | null,
  now: number,
): Promise<string> {
  const isTaken = async (candidate: string): Promise<boolean> => {
    const row = await trx
      .selectFrom('gateway_experiments')
      .select('id')
      .where('name', '=', candidate)
      .where('owner', 'is not distinct from', owner)
      .executeTakeFirst();
    return row !== undefined;
  };
  let candidate = name;
  // Several in one millisecond have times of their own, in microseconds.
  for (let later = 0; await isTaken(candidate); later += 1) candidate = `${name}_${stampOf(now, later)}`;
  return candidate;
}

/** As `20260131120000250000`. */
const stampOf = (now: number, microseconds: number): string =>
  new Date(now)
    .toISOString()
    .replaceAll(/[-:TZ.]/g, '')
    .concat(String(microseconds).padStart(3, '0'));
