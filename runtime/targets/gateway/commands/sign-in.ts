import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { inputError, messageOf } from '#contract/errors.ts';
import { type Command, UsageError } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson, printLines } from '#serve/cli/terminal.ts';
import { durationOption } from '#serve/cli/values.ts';
import { commandCode } from '../accounts/sign-in/command-code.ts';
import type { session, me } from '../api/auth.ts';
import { URL_OPTION } from './experiment/client-options.ts';
import { checkGatewayUrl } from './experiment/with-gateway.ts';
import { orDash, printResult, recordLines } from './show/format-values.ts';
import { loginPath, writeLogin, deleteLogin, readLogin } from './sign-in/login-file.ts';

const OPTIONS = { ...JSON_OPTION, ...URL_OPTION };

/** `gateway login` signs in through a running gateway, which knows the provider. */
export const loginCommand: Command = {
  summary: 'Sign in to a running gateway in a browser.',
  options: {
    ...OPTIONS,
    'no-browser': { help: 'Print the address instead of opening it' },
    timeout: { value: 'time', help: 'Time limit for the sign-in', fallback: '5m' },
  },
  async run(invocation, output) {
    const url = invocation.value('url');
    if (url === undefined) throw new UsageError('Set GATEWAY_URL or --url.');
    checkGatewayUrl(invocation, url);
    const timeoutMs = durationOption(invocation, 'timeout') ?? 0;
    const [{ createGatewayClient }, { listenForCode }, { createPkce }, { openBrowser }] = await Promise.all([
      import('./experiment/gateway-client.ts'),
      import('./sign-in/callback-server.ts'),
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

export const logoutCommand: Command = {
  summary: 'Sign out and delete the key created by `gateway login`.',
  options: JSON_OPTION,
  async run(invocation, output) {
    const path = loginPath(process.env);
    const { url, key } = await readLogin(path);
    const { createGatewayClient } = await import('./experiment/gateway-client.ts');
    const client = createGatewayClient(url, key);
    try {
      await client.json('POST', '/auth/sign-out');
    } catch (error) {
      // An expired key can no longer be deleted, and does not need to be.
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

export const whoamiCommand: Command = {
  summary: 'Show the signed-in user with their role and teams.',
  options: {
    ...JSON_OPTION,
    token: { help: 'Print only the sign-in key, for use in requests: $(gateway whoami --token)' },
  },
  async run(invocation, output) {
    const { url, key } = await readLogin(loginPath(process.env));
    if (invocation.flag('token')) {
      output.out(`${key}\n`);
      return 0;
    }
    const { createGatewayClient } = await import('./experiment/gateway-client.ts');
    const client = createGatewayClient(url, key);
    try {
      const user = (await client.json('GET', '/v1/me')) as Static<typeof me>;
      if (invocation.flag('json')) printJson(output, { url, ...user });
      else printLines(output, recordLines(recordOf(url, user)));
    } finally {
      await client.close();
    }
    return 0;
  },
};

const recordOf = (url: string, user: Static<typeof me>): Record<string, string> => ({
  gateway: url,
  user: orDash(user.user_id),
  role: user.role,
  teams: user.teams.map(({ team_id: id, role }) => `${id} (${role})`).join(', ') || '-',
  expires: orDash(user.expires_at),
});
