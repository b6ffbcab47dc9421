import { isObject } from '#core/json/is-object.ts';
import type { EntrySettings } from './model-entries.ts';

/** Secret members of a provider entry. Headers are included because any of them can contain credentials. */
const SECRETS: readonly (readonly [string, string?])[] = [
  ['api_key'],
  ['headers'],
  ['entra', 'client_secret'],
  ['aws', 'secret_access_key'],
  ['aws', 'session_token'],
];

interface SplitEntry {
  readonly settings: EntrySettings;
  readonly secrets: EntrySettings;
}

/** Separates a provider entry's secrets from its other settings. */
export function splitSecrets(entry: EntrySettings): SplitEntry {
  const [settings, secrets]: [Record<string, unknown>, Record<string, unknown>] = [{ ...entry }, {}];
  for (const [name, inner] of SECRETS) {
    const value = settings[name];
    if (value === undefined) continue;
    if (inner === undefined) {
      secrets[name] = value;
      delete settings[name];
    } else if (isObject(value) && value[inner] !== undefined) {
      const { [inner]: secret, ...others } = value;
      settings[name] = others;
      secrets[name] = { ...membersOf(secrets[name]), [inner]: secret };
    }
  }
  return { settings, secrets };
}

/** Merges the secrets back into the settings. */
export function joinSecrets(settings: EntrySettings, secrets: EntrySettings): EntrySettings {
  const joined = Object.entries(secrets).map(([name, value]) => [
    name,
    isObject(value) ? { ...membersOf(settings[name]), ...value } : value,
  ]);
  return { ...settings, ...Object.fromEntries(joined) };
}

/** Secret names for display, e.g. `api_key` and `aws.session_token`. */
export const secretNames = (secrets: EntrySettings): string[] =>
  Object.entries(secrets).flatMap(([name, value]) =>
    isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );

/** Where a provider's requests, including its secrets, are sent. A type implies an address. */
export const entryAddress = (name: string, settings: EntrySettings): string =>
  JSON.stringify([
    settings['type'] ?? name,
    settings['api_base'] ?? null,
    membersOf(settings['entra'])['authority'] ?? null,
  ]);

const membersOf = (value: unknown): EntrySettings => (isObject(value) ? value : {});
