import type { Command } from '#serve/cli/command.ts';
import { isJson } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { type ConfigPaths, configPaths } from '../../config/config-paths.ts';
import { printable } from '#serve/cli/terminal.ts';
import { KEYS_OPTIONS, keysFile } from './options.ts';

/** `keys revoke`: revokes a key. A running manager rejects it within a second. */
export const revokeKeyCommand: Command = {
  summary: 'Revoke an API key, and delete the secrets and sign-ins of its owner.',
  positionals: '<name|id>',
  options: KEYS_OPTIONS,
  async run(invocation, output) {
    const [nameOrId] = exactly(invocation, '<name|id>');
    const { revokeKey } = await import('../../access/key-file.ts');
    const { id, name, hash } = await revokeKey(keysFile(invocation), nameOrId, Date.now());
    const [{ openUserSecrets }, { userOfKey }] = await Promise.all([
      import('../../user-secrets/user-secrets.ts'),
      import('../../access/manager-access.ts'),
    ]);
    const paths = configPaths(invocation, process.env);
    const user = userOfKey(hash);
    await openUserSecrets(paths, process.env).remove(user);
    for (const reason of await endSignIns(paths, user)) {
      output.err(printable(`Warning: the authorization server did not revoke the tokens for ${reason}\n`));
    }
    const json = isJson(invocation);
    output.out(json ? `${JSON.stringify({ id, name })}\n` : `Revoked ${name} (${id}).\n`);
    return 0;
  },
};

/** Deletes the sign-ins of a user, also if no manager runs. Returns why tokens were not revoked. */
async function endSignIns(paths: ConfigPaths, user: string): Promise<readonly string[]> {
  const [{ openSignIns }, { signInFolder }, { endUserSignIns }, { readConfig }] = await Promise.all([
    import('../../sign-in/sign-in-store.ts'),
    import('../../sign-in/sign-in-folder.ts'),
    import('../../sign-in/end-user-sign-ins.ts'),
    import('../../config/read-config.ts'),
  ]);
  const { env } = process;
  // Without a readable configuration, the tokens are only deleted.
  const config = await readConfig(paths, env, { keepsUnusable: true, readsPins: false }).catch(
    () => undefined,
  );
  const { notRevoked } = await endUserSignIns(
    config?.servers ?? [],
    openSignIns(signInFolder(paths), { env }),
    user,
  );
  return notRevoked;
}
