import { sha256 } from '#platform/sha256.ts';
import { isPerUser, type Launch, type ServerSpec } from '../config/spec.ts';
import { canonicalJson } from '../shared/canonical-json.ts';

/** Changes when the files of saved lists change their meaning, so that older files are not used. */
const VERSION = 1;

const known = new WeakMap<ServerSpec, string>();

/**
 * Returns a hash of what determines a server's lists: its program or URL, its arguments, and its pins. Of
 * environment variables and headers, only the names count, because a hash of a short secret can be reversed.
 */
export function serverIdentity(spec: ServerSpec): string {
  const before = known.get(spec);
  if (before !== undefined) return before;
  const { name, launch, pins = null } = spec;
  const identity = sha256(canonicalJson([VERSION, name, partsOf(launch), pins]));
  known.set(spec, identity);
  return identity;
}

function partsOf(launch: Launch): unknown {
  const { kind } = launch;
  if (kind === 'process') {
    const { command, args, env, cwd = null, integrity = null } = launch;
    return { kind, command, args, env: Object.keys(env).sort(), cwd, integrity };
  }
  if (kind === 'unusable') return { kind };
  const { transport, url, headers, passHeaders = [], oauth, api } = launch;
  return {
    kind,
    transport,
    url,
    headers: Object.keys(headers).sort(),
    passHeaders,
    oauth: oauth?.grant ?? null,
    ...(api && {
      api: { ...api, fixed: Object.keys(api.fixed).sort(), credentials: Object.keys(api.credentials).sort() },
    }),
  };
}

/**
 * Whether a server's lists can be saved in a file. The lists of a user's own connection are only kept in
 * memory, because they can contain personal data, and the user can sign in with another account.
 */
export const isSavable = (spec: ServerSpec): boolean => spec.lazy && !isPerUser(spec);
