import type { Command } from '#serve/cli/command.ts';
import { isJson } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { configPaths } from '../../config/config-paths.ts';
import { KEYS_OPTIONS, keysFile } from './options.ts';

/** `keys revoke`: revokes a key. A running manager rejects it within a second. */
export const revokeKeyCommand: Command = {
  summary: 'Revoke an API key, and delete the secrets of its owner.',
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
    await openUserSecrets(configPaths(invocation, process.env), process.env).remove(userOfKey(hash));
    const json = isJson(invocation);
    output.out(json ? `${JSON.stringify({ id, name })}\n` : `Revoked ${name} (${id}).\n`);
    return 0;
  },
};
