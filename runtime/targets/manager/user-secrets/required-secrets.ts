import type { ServerSpec } from '../config/spec.ts';
import { referencesIn } from '../config/user-references.ts';

/** Returns the names of the secrets that a server requires of each user. */
export function requiredSecrets({ launch }: Pick<ServerSpec, 'launch'>): readonly string[] {
  if (launch.kind === 'unusable') return [];
  const shared = launch.kind === 'remote' ? Object.values(launch.callHeaders ?? {}) : [];
  return [...(launch.userValues ?? []), ...referencesIn(shared)].flatMap((one) =>
    one.kind === 'secret' ? [one.name] : [],
  );
}
