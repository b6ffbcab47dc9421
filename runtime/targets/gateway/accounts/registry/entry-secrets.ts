import { isObject } from '#core/json/is-object.ts';
import type { EntrySettings } from './model-entries.ts';

/** Members of a provider's entry that are secret. Headers are included because credentials can be sent in any of them. */
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

/** Separates the secrets of a provider's entry from its other settings. */
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

/** Puts the secrets back into the settings. */
export function joinSecrets(settings: EntrySettings, secrets: EntrySettings): EntrySettings {
  const joined = Object.entries(secrets).map(([name, value]) => [
    name,
    isObject(value) ? { ...membersOf(settings[name]), ...value } : value,
  ]);
  return { ...settings, ...Object.fromEntries(joined) };
}

/** Names of secrets for display, e.g. `api_key` and `aws.session_token`. */
export const secretNames = (secrets: EntrySettings): string[] =>
  Object.entries(secrets).flatMap(([name, value]) =>
    isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );

/** Where the requests of a provider are sent, with its secrets. The type has an address of its own. */
export const entryAddress = (name: string, settings: EntrySettings): string =>
  JSON.stringify([
    settings['type'] ?? name,
    settings['api_base'] ?? null,
    membersOf(settings['entra'])['authority'] ?? null,
  ]);

const membersOf = (value: unknown): EntrySettings => (isObject(value) ? value : {});
