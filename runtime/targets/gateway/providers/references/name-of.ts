import { OTHER_IDS, REFERENCE_NAMES } from './reference-names.ts';

/**
 * What a member is by its name: `reference` always names a stored thing, `id` can be its own or another one's, `possible` is a name
 * that no API is known to have, but that ends like one.
 */
export type ReferenceName = 'reference' | 'id' | 'possible' | 'other';

/** The kind of each name that was seen. Clients choose names, so the number is limited. */
const known = new Map<string, ReferenceName>();
const MAX_KNOWN = 2000;
const MAX_NAME_LENGTH = 100;

export function nameOf(name: string): ReferenceName {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (name.length > MAX_NAME_LENGTH) return 'other';
  const found = kindOf(
    lastStep(name)
      .replaceAll(/[^a-z\d]/gi, '')
      .toLowerCase(),
  );
  if (known.size < MAX_KNOWN) known.set(name, found);
  return found;
}

function kindOf(plain: string): ReferenceName {
  if (REFERENCE_NAMES.has(plain)) return 'reference';
  if (plain === 'id' || plain === 'ids') return 'id';
  if (OTHER_IDS.has(plain)) return 'other';
  return plain.endsWith('id') || plain.endsWith('ids') ? 'possible' : 'other';
}

/** The last name of a form field such as `image[0][file_id]` or `file_ids[]`. */
function lastStep(name: string): string {
  const steps = name.split(/[[\].]/).filter((step) => step !== '' && !/^\d+$/.test(step));
  return steps.at(-1) ?? name;
}
