import { messageOf } from '#contract/errors.ts';
import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printResult } from '../show/print-result.ts';
import { deleteLogin, loginPath, readLogin } from './login-file.ts';

export const logoutCommand: Command = {
  summary: 'Sign out: delete the key of `gateway login`.',
  options: JSON_OPTION,
  async run(invocation, output) {
    const path = loginPath(process.env);
    const { url, key } = await readLogin(path);
    const { createGatewayClient } = await import('../experiment/gateway-client.ts');
    const client = createGatewayClient(url, key);
    try {
      await client.json('POST', '/auth/sign-out');
    } catch (error) {
      // An expired key cannot be deleted any more, and need not be.
      output.err(`The key was not deleted from the gateway: ${messageOf(error)}\n`);
    } finally {
      await client.close();
    }
    await deleteLogin(path);
    printResult(
      { output, json: invocation.flag('json') },
      { url, signed_out: true },
      `Signed out of ${url}.`,
    );
    return 0;
  },
};
