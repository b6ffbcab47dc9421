import { configError } from '#contract/errors.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { LOCAL_USER } from '../../access/caller.ts';
import { configPaths, keysPath } from '../../config/config-paths.ts';
import type { ServerSpec } from '../../config/spec.ts';
import { requiredSecrets } from '../../user-secrets/required-secrets.ts';
import type { UserSecrets } from '../../user-secrets/user-secrets.ts';
import { DAEMON_CLIENT_OPTIONS } from '../client-options.ts';

/** Options of all commands for secrets of users. */
export const SECRET_OPTIONS = {
  ...DAEMON_CLIENT_OPTIONS,
  local: {
    help: 'Use the secrets for `stdio` without a running manager (conflicts with --url)',
  },
  key: {
    value: 'name',
    help: 'Use the secrets of the owner of this API key, in the files (conflicts with --url)',
  },
  subject: {
    value: 'sub',
    help: 'Use the secrets of the user with this `sub` in access tokens, in the files (conflicts with --url)',
  },
  'keys-file': {
    value: 'file',
    help: 'File with the API keys, for --key',
    defaultText: 'keys.jsonl next to the secrets file',
    env: 'MCP_MANAGER_KEYS_FILE',
  },
} as const;

const OWNER_FLAGS = ['local', 'key', 'subject'] as const;

/** The secrets of a user in the files, without a running manager. */
export interface OwnedSecrets {
  readonly store: UserSecrets;
  readonly user: string;
  /** The servers that use each secret. */
  readonly uses: ReadonlyMap<string, readonly string[]>;
}

/** Opens the secrets that a flag selects; undefined if the running manager has to identify the user. */
export async function openOwned(invocation: Invocation): Promise<OwnedSecrets | undefined> {
  const given = OWNER_FLAGS.filter((flag) => invocation.value(flag) !== undefined);
  const [flag, other] = given;
  if (flag === undefined) return undefined;
  const conflict = other ?? (invocation.given('url') ? 'url' : undefined);
  if (conflict !== undefined) {
    throw new UsageError(`--${flag} and --${conflict} conflict with each other; use one of them.`);
  }
  const paths = configPaths(invocation, process.env);
  const [{ readConfig }, { openUserSecrets }] = await Promise.all([
    import('../../config/read-config.ts'),
    import('../../user-secrets/user-secrets.ts'),
  ]);
  const { servers, daemon } = await readConfig(paths, process.env, { keepsUnusable: true });
  const store = openUserSecrets(paths, process.env);
  const uses = usesIn(servers);
  if (flag === 'local') return { store, user: LOCAL_USER, uses };
  const value = invocation.value(flag) ?? '';
  if (flag === 'key') {
    const user = await userOfKeyNamed(keysPath(invocation.value('keys-file'), paths), value);
    return { store, user, uses };
  }
  if (!daemon.oauth) {
    throw configError(
      '--subject requires an authorization server for access tokens, but [daemon.api.oauth] is not configured.',
    );
  }
  const { userOfToken } = await import('../../access/token-access.ts');
  return { store, user: userOfToken(daemon.oauth.issuer, value), uses };
}

function usesIn(servers: readonly ServerSpec[]): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, string[]>();
  for (const spec of servers) {
    for (const name of requiredSecrets(spec)) uses.set(name, [...(uses.get(name) ?? []), spec.name]);
  }
  return uses;
}

async function userOfKeyNamed(file: string, nameOrId: string): Promise<string> {
  const [{ findKey, readKeyFile }, { userOfKey }] = await Promise.all([
    import('../../access/key-file.ts'),
    import('../../access/manager-access.ts'),
  ]);
  return userOfKey(findKey(readKeyFile(file) ?? [], nameOrId, file).hash);
}
