import type { Static } from 'typebox';
import type { StoredAliasEntry } from '../../config/schemas/stored-entries.ts';
import type { AliasEntry } from '../../registry/registry.ts';
import { entryView } from '../providers/view.ts';
import type { alias } from './schemas.ts';

export function aliasView(entry: AliasEntry): Static<typeof alias> {
  // Entries of the database have been validated.
  const {
    targets = [],
    strategy = 'weighted',
    fallbacks = [],
  }: Partial<StoredAliasEntry> = entry.stored?.settings ?? { ...entry.value };
  return {
    name: entry.name,
    targets: targets.map((target) =>
      typeof target === 'string'
        ? { model: target, weight: 1 }
        : { model: target.model, weight: target.weight ?? 1 },
    ),
    strategy,
    fallbacks: [...fallbacks],
    ...entryView(entry),
  };
}
