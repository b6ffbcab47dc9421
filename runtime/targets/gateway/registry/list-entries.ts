import type { EntryOutcome } from '../config/stored-models.ts';
import type { Entry } from './registry.ts';

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

/** Entries in order of their names. Those of the file come before those of the same name in the database, which are not used. */
export const inOrder = <One extends Named>(ofFile: readonly One[], stored: readonly One[]): One[] =>
  [...ofFile, ...stored].toSorted((one, other) =>
    one.name < other.name ? -1 : one.name > other.name ? 1 : 0,
  );
