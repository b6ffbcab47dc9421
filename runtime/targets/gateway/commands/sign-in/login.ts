import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { inputError, messageOf } from '#contract/errors.ts';
import { type Command, UsageError } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson } from '#serve/cli/print.ts';
import { duration } from '#serve/cli/values.ts';
import type { session } from '../../api/auth.ts';
import { commandCode } from '../../accounts/sign-in/command-code.ts';
import { URL_OPTION } from '../experiment/client-options.ts';
import { checkGatewayUrl } from '../experiment/with-gateway.ts';
import { loginPath, writeLogin } from './login-file.ts';

const OPTIONS = { ...JSON_OPTION, ...URL_OPTION };

/** `gateway login` signs in through a running gateway, which knows the provider. */
export const loginCommand: Command = {
  summary: 'Sign in to a running gateway in a browser.',
  options: {
    ...OPTIONS,
    'no-browser': { help: 'Only print the address to open' },
    timeout: { value: 'time', help: 'How long to wait for the sign-in', fallback: '5m' },
  },
  async run(invocation, output) {
    const url = invocation.value('url');
    if (url === undefined) throw new UsageError('Set GATEWAY_URL or --url.');
    checkGatewayUrl(invocation, url);
    const timeoutMs = duration(invocation, 'timeout') ?? 0;
    const [{ createGatewayClient }, { listenForCode }, { createPkce }, { openBrowser }] = await Promise.all([
      import('../experiment/gateway-client.ts'),
      import('./callback-server.ts'),
      import('#serve/oauth/pkce.ts'),
      import('#platform/open-browser.ts'),
    ]);
    const state = randomBytes(24).toString('base64url');
    const { verifier, challenge } = createPkce();
    const client = createGatewayClient(url, undefined);
    const server = await listenForCode(state, timeoutMs);
    try {
      const page = new URL('/auth/sign-in', url);
      page.search = new URLSearchParams({ port: String(server.port), state, challenge }).toString();
      output.err(`Open this address to sign in:\n\n  ${page.href}\n\n`);
      output.err(`The page must show the code ${commandCode({ state, challenge })}.\n\n`);
      if (!invocation.flag('no-browser')) openBrowser(page.href, process.env);
      const code = await server.code.catch((error: unknown) => {
        throw inputError(messageOf(error));
      });
      const answer = await client.json('POST', '/auth/token', { code, verifier });
      const { key, user_id: userId, expires_at: expiresAt } = answer as Static<typeof session>;
      await writeLogin(loginPath(process.env), { url: new URL(url).origin, key, userId, expiresAt });
      if (invocation.flag('json')) printJson(output, { url, user_id: userId, expires_at: expiresAt });
      else
        output.out(`Signed in to ${url} as ${userId}${expiresAt === null ? '' : ` until ${expiresAt}`}.\n`);
      return 0;
    } finally {
      server.close();
      await client.close();
    }
  },
};
