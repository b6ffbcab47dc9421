import { isObject } from '#core/json/is-object.ts';
import type { EntrySettings } from './model-entries.ts';

/** Stands for all members. */
const ANY = '*';

/** Secret members of a provider entry. Headers are included because any of them can contain credentials. */
const SECRETS: readonly (readonly string[])[] = [
  ['api_key'],
  ['headers'],
  ['entra', 'client_secret'],
  ['aws', 'secret_access_key'],
  ['aws', 'session_token'],
  ['keys', ANY, 'api_key'],
];

interface SplitEntry {
  readonly settings: EntrySettings;
  readonly secrets: EntrySettings;
}

/** Separates a provider entry's secrets from its other settings. */
export function splitSecrets(entry: EntrySettings): SplitEntry {
  let [settings, secrets]: [EntrySettings, EntrySettings] = [entry, {}];
  for (const path of SECRETS) {
    const [rest, found] = split(settings, path);
    settings = membersOf(rest);
    secrets = joinSecrets(secrets, membersOf(found));
  }
  return { settings, secrets };
}

/** A value without the members at a path, and only these members; undefined if nothing is left. */
function split(value: unknown, [name, ...path]: readonly string[]): readonly [unknown, unknown] {
  if (name === undefined) return [undefined, value];
  if (!isObject(value)) return [value, undefined];
  const [rest, found]: [Record<string, unknown>, Record<string, unknown>] = [{ ...value }, {}];
  for (const member of name === ANY ? Object.keys(value) : [name]) {
    if (value[member] === undefined) continue;
    const [kept, secret] = split(value[member], path);
    if (kept === undefined) delete rest[member];
    else rest[member] = kept;
    if (secret !== undefined) found[member] = secret;
  }
  return [rest, Object.keys(found).length === 0 ? undefined : found];
}

/** Merges the secrets back into the settings. */
export const joinSecrets = (settings: EntrySettings, secrets: EntrySettings): EntrySettings =>
  Object.fromEntries([
    ...Object.entries(settings),
    ...Object.entries(secrets).map(([name, value]) => {
      const other = Object.hasOwn(settings, name) ? settings[name] : undefined;
      return [name, isObject(value) ? joinSecrets(membersOf(other), value) : value] as const;
    }),
  ]);

/** Secret names for display, e.g. `api_key` and `aws.session_token`. */
export const secretNames = (secrets: EntrySettings): string[] =>
  Object.entries(secrets).flatMap(([name, value]) =>
    isObject(value) ? secretNames(value).map((inner) => `${name}.${inner}`) : [name],
  );

/**
 * Changes in which the keys of a pool that are listed without a secret keep their stored secret, so that a
 * key can be added or removed without the others.
 */
export function withKeptKeys(changes: EntrySettings, stored: EntrySettings): EntrySettings {
  const { keys } = changes;
  if (!isObject(keys)) return changes;
  const known = membersOf(stored['keys']);
  const filled = Object.entries(keys).map(([name, key]) => {
    const { api_key: secret } = membersOf(Object.hasOwn(known, name) ? known[name] : undefined);
    return [name, isObject(key) && secret !== undefined ? { api_key: secret, ...key } : key];
  });
  return { ...changes, keys: Object.fromEntries(filled) as unknown };
}

/** Where a provider's requests, including its secrets, are sent. A type implies an address. */
export const entryAddress = (name: string, settings: EntrySettings): string =>
  JSON.stringify([
    settings['type'] ?? name,
    settings['api_base'] ?? null,
    membersOf(settings['entra'])['authority'] ?? null,
  ]);

const membersOf = (value: unknown): EntrySettings => (isObject(value) ? value : {});
