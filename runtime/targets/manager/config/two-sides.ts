import { isSecretName } from '../../../core/text/secret-name.ts';
import type { Expander } from './expander.ts';
import type { Report } from './problems.ts';
import type { Redactions } from '../../../core/text/redactions.ts';
import type { SecretsEntry } from './secrets-file.ts';
import type { ServerEntry } from './server-entry.ts';

/** One server as its two files have it, and how to put variables into each. */
export interface TwoSides {
  readonly entry: ServerEntry;
  readonly secrets: SecretsEntry;
  readonly expandEntry: Expander;
  readonly expandSecret: Expander;
}

/** Texts that both files may have; those of the secrets file win. They are to be hidden, and so are those whose name sounds secret. */
export function mergeRecords(
  key: 'env' | 'headers',
  written: Readonly<Record<string, string>>,
  { entry, secrets, expandEntry, expandSecret }: TwoSides,
  { redactions, holdsSecrets }: { redactions: Redactions; holdsSecrets: boolean },
): Record<string, string> {
  const own = expandEntry.record(key, written);
  const secret = expandSecret.record(key, secrets[key]);
  for (const [name, value] of Object.entries(own)) {
    if (holdsSecrets || isSecretName(name)) redactions.add(value, [name], entry.name);
  }
  for (const [name, value] of Object.entries(secret)) redactions.add(value, [name], entry.name);
  return { ...own, ...secret };
}

/** Values in the secrets file that this kind of server has no use for: most likely they are meant for another. */
export function refuseSecrets(
  keys: readonly (keyof SecretsEntry)[],
  { entry, secrets }: TwoSides,
  { reportSecrets }: { reportSecrets: Report },
): void {
  for (const key of keys) {
    const value = secrets[key];
    if (value === undefined || Object.keys(value).length === 0) continue;
    const other = entry.launch.kind === 'remote' ? 'servers with package or command' : 'servers with url';
    reportSecrets(
      [...secrets.path, key],
      `server ${JSON.stringify(entry.name)}: ${key} is for ${other}. Take it out.`,
    );
  }
}
