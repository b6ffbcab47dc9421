import type { Command } from '#serve/cli/command.ts';
import { isJson } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { KEYS_OPTIONS, keysFile } from './options.ts';

/** `keys revoke`: revokes a key. A running manager rejects it within a second. */
export const revokeKeyCommand: Command = {
  summary: 'Revoke an API key.',
  positionals: '<name|id>',
  options: KEYS_OPTIONS,
  async run(invocation, output) {
    const [nameOrId] = exactly(invocation, '<name|id>');
    const { revokeKey } = await import('../../access/key-file.ts');
    const { id, name } = await revokeKey(keysFile(invocation), nameOrId, Date.now());
    const json = isJson(invocation);
    output.out(json ? `${JSON.stringify({ id, name })}\n` : `Revoked ${name} (${id}).\n`);
    return 0;
  },
};
