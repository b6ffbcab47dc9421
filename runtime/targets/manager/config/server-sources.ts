import { isSecretName } from '#core/text/secret-name.ts';
import type { Expander } from './expander.ts';
import type { Report } from './problems.ts';
import type { Redactions } from '#core/text/redactions.ts';
import type { SecretsEntry } from './secrets-file.ts';
import type { ServerEntry } from './server-entry.ts';

/** A server's entries in the two files, with the functions that expand the variables in each. */
export interface ServerSources {
  readonly entry: ServerEntry;
  readonly secrets: SecretsEntry;
  readonly expandEntry: Expander;
  readonly expandSecret: Expander;
}

/**
 * Merges values that both files can contain; the secrets file takes precedence. Values from the secrets file,
 * and values whose names suggest secrets, are added to the redactions.
 */
export function mergeRecords(
  key: 'env' | 'headers' | 'credentials',
  written: Readonly<Record<string, string>>,
  { entry, secrets, expandEntry, expandSecret }: ServerSources,
  { redactions, containsSecrets }: { redactions: Redactions; containsSecrets: boolean },
): Record<string, string> {
  const own = expandEntry.record(key, written);
  const secret = expandSecret.record(key, secrets[key]);
  for (const [name, value] of Object.entries(own)) {
    if (containsSecrets || isSecretName(name)) redactions.add(value, [name], entry.name);
  }
  for (const [name, value] of Object.entries(secret)) redactions.add(value, [name], entry.name);
  return { ...own, ...secret };
}

/** Reports secrets file values that this kind of server cannot use; they probably belong to another server. */
export function refuseSecrets(
  keys: readonly (keyof SecretsEntry)[],
  { entry, secrets }: ServerSources,
  { reportSecrets }: { reportSecrets: Report },
  needed?: string,
): void {
  for (const key of keys) {
    const value = secrets[key];
    if (value === undefined || Object.keys(value).length === 0) continue;
    const kind = needed ?? (entry.launch.kind === 'remote' ? 'package or command' : 'url');
    reportSecrets(
      [...secrets.path, key],
      `server ${JSON.stringify(entry.name)}: ${key} requires a server with ${kind}. Remove it.`,
    );
  }
}
