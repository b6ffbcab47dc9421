import { checkId } from '../accounts/identity/checks.ts';
import type { EntrySettings, StoredEntries } from '../accounts/registry/model-entries.ts';
import {
  entryProblem,
  inFile,
  missingEntry,
  nameTaken,
  withChanges,
  fileEntry,
  sortedByName,
  storedEntry,
  type RegisteredAlias,
  type EntryRegistry,
  type RegistryParts,
} from './registry.ts';

/** Creates the alias registry. */
export function createAliasRegistry({
  entries,
  config,
  onChange,
}: RegistryParts): EntryRegistry<RegisteredAlias> {
  const isInFile = (name: string): boolean => config().models.aliases.some((one) => one.name === name);
  /** Throws an InputError if the alias, or one of its targets, would not be used. */
  const check = (stored: StoredEntries, name: string, settings: EntrySettings): void => {
    const others = stored.aliases.filter((one) => one.name !== name);
    const alias = { name, settings, createdAt: 0, updatedAt: 0 };
    const outcome = config()
      .withStored({ ...stored, aliases: [...others, alias] })
      .aliases.get(name);
    if (outcome?.problem) throw entryProblem('alias', name, outcome.problem);
  };
  const list = async (): Promise<RegisteredAlias[]> => listOf(await entries.read(), config());
  const get = async (name: string): Promise<RegisteredAlias> =>
    (await list()).find((one) => one.name === name) ?? missingEntry('alias', name);
  return {
    list,
    get,
    async create(name, settings) {
      checkId('name', name);
      if (name.trim() !== name) throw entryProblem('alias', name, SPACE_RULE, 'name');
      await entries.change((stored) => {
        if (isInFile(name)) throw nameTaken('alias', name, 'file');
        if (stored.aliases.some((one) => one.name === name)) throw nameTaken('alias', name, 'database');
        check(stored, name, settings);
        return { kind: 'alias', name, settings };
      });
      await onChange?.();
      return await get(name);
    },
    async change(name, changes) {
      await entries.change((stored) => {
        const before = stored.aliases.find((one) => one.name === name);
        if (isInFile(name)) throw inFile('alias', name);
        if (!before) return missingEntry('alias', name);
        const settings = withChanges(before.settings, changes);
        check(stored, name, settings);
        return { kind: 'alias', name, settings };
      });
      await onChange?.();
      return await get(name);
    },
    async delete(name) {
      await entries.change((stored) => {
        const isStored = stored.aliases.some((one) => one.name === name);
        if (isInFile(name) && !isStored) throw inFile('alias', name);
        return isStored ? { kind: 'alias', name, settings: undefined } : missingEntry('alias', name);
      });
      await onChange?.();
    },
  };
}

const SPACE_RULE = 'The name must not begin or end with a space.';

function listOf(
  stored: StoredEntries,
  { models, withStored }: ReturnType<RegistryParts['config']>,
): RegisteredAlias[] {
  const outcomes = withStored(stored).aliases;
  return sortedByName<RegisteredAlias>(
    models.aliases.map(fileEntry),
    stored.aliases.map((one) => storedEntry(one, outcomes.get(one.name))),
  );
}
