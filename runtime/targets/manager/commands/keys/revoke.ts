import { type Command, UsageError } from '../../../../serve/cli/command.ts';
import { revokeKey } from '../../access/edit-keys.ts';
import { isJson } from '../../../../serve/cli/output-format.ts';
import { KEYS_OPTIONS, keysFile } from './options.ts';

/** `keys revoke`: a running server notices within a second. */
export const revokeKeyCommand: Command = {
  summary: 'Make an API key worthless.',
  positionals: '<NAME|ID>',
  options: KEYS_OPTIONS,
  async run(invocation, output) {
    const [nameOrId, more] = invocation.positionals;
    if (nameOrId === undefined || more !== undefined)
      throw new UsageError('Say which key: its name or its id.');
    const { id, name } = await revokeKey(keysFile(invocation), nameOrId, Date.now());
    const json = isJson(invocation);
    output.out(json ? `${JSON.stringify({ id, name })}\n` : `Revoked ${name} (${id}).\n`);
    return 0;
  },
};
