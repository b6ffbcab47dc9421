import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { MASTER_KEY, startAgentGateway } from '#test/agents/start-gateway.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { freePort, processesIn } from '#test/sign-in/processes.ts';

// The gateway and mcp-manager as programs: the manager verifies the gateway's tokens, and its server gets a secret of each user.

const folder = mkdtempSync(join(tmpdir(), 'gateway-users-'));
const processes = processesIn(folder);
const audit = join(folder, 'audit.jsonl');
const [managerPort, gatewayPort] = [await freePort(), await freePort()];
const [MANAGER, GATEWAY] = [`http://127.0.0.1:${managerPort}`, `http://127.0.0.1:${gatewayPort}`];

const config = `
[daemon.api.oauth]
issuer = "${GATEWAY}"
jwks_uri = "${GATEWAY}/.well-known/jwks.json"
resource = "${MANAGER}"

[[servers]]
name = "desk"
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([join(ROOT, 'test/agents/mcp-server.mjs'), join(folder, 'stamps.txt')])}
tools = ["*"]
env = { DESK_TOKEN = "\${user.secret.DESK_TOKEN}" }
`;

const manager = await processes.startManager('manager', managerPort, config, {
  flags: ['--audit-log', audit],
});
const gateway = await startAgentGateway({
  port: gatewayPort,
  tools: {
    user_token_issuer: GATEWAY,
    mcp_servers: {
      desk: { url: `${MANAGER}/mcp/desk`, user_token_audience: `${MANAGER}/mcp/desk` },
      // For another server, so the manager must reject it.
      other: { url: `${MANAGER}/mcp/desk`, user_token_audience: 'https://other.example' },
    },
  },
});
afterAll(async () => {
  await gateway.stop();
  await processes.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const setSecret = async (user: string): Promise<void> => {
  await manager.run(['secret', 'set', 'DESK_TOKEN', '--subject', user], { input: `secret-of-${user}` });
};

interface Message {
  readonly mcp_calls?: readonly { readonly output: string | null }[];
}

/** Lets a model call the tool; returns its result, or the error of the request. */
async function stamp(
  key: string,
  label = 'desk',
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<string | null | undefined> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'chat:model-1',
      messages: [{ role: 'user', content: 'Stamp /tmp/desk/notes.txt' }],
      tools: [{ type: 'mcp', server_label: label }],
      ...more,
    }),
  });
  const body = (await answer.json()) as {
    readonly choices?: readonly { readonly message: Message }[];
    readonly error?: { readonly message: string };
  };
  return body.error?.message ?? body.choices?.[0]?.message.mcp_calls?.[0]?.output;
}

test('the manager knows the users of the gateway, and their secrets do not mix', async () => {
  const [ada, bob, eve] = await Promise.all(
    ['ada', 'bob', 'eve'].map(async (user) => await gateway.createKey(user)),
  );
  await setSecret('ada');
  await setSecret('bob');
  const calls = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? 'ada' : 'bob'));
  const results = await Promise.all(
    calls.map(async (user) => await stamp((user === 'ada' ? ada : bob) ?? '')),
  );
  expect(results).toEqual(calls.map((user) => `secret-of-${user}`));

  // A user cannot act as another one: neither with members and headers of a request, nor with a user ID that only differs in case.
  expect(await stamp(bob ?? '', 'desk', { user: 'ada' })).toContain('does not match');
  expect(await stamp(bob ?? '', 'desk', { metadata: { user_id: 'ada' } })).toBe('secret-of-bob');
  const headers = { 'x-user': 'ada', 'x-forwarded-user': 'ada', 'x-gateway-user': 'ada' };
  expect(await stamp(bob ?? '', 'desk', {}, headers)).toBe('secret-of-bob');
  expect(await stamp((await gateway.createKey('ADA')) || '')).not.toContain('secret-of');
  expect(await stamp(eve ?? '')).not.toContain('secret-of');

  const lines = readFileSync(audit, 'utf8').trim().split('\n');
  const callers = new Set(
    lines.map((line) => String((JSON.parse(line) as { readonly caller: unknown }).caller)),
  );
  expect([...callers].filter((caller) => !['user:ada', 'user:bob'].includes(caller))).toEqual([]);
  expect(callers.size).toBe(2);
});

test('the master key acts for the user in the request, and is rejected without one', async () => {
  await gateway.createKey('kim');
  await setSecret('kim');
  expect(await stamp(MASTER_KEY, 'desk', { user: 'kim' })).toBe('secret-of-kim');
  expect(await stamp(MASTER_KEY)).toBe(
    'MCP server "desk" needs to know the user. Use the key of a user, or name the user in the request.',
  );
});

test('the public keys are only served if a server gets tokens', async () => {
  const keys = await fetch(`${gateway.url}/.well-known/jwks.json`);
  expect(await keys.json()).toMatchObject({ keys: [{ kty: 'EC', alg: 'ES256' }] });
  const other = await startAgentGateway({ tools: { mcp_servers: { desk: { url: `${MANAGER}/mcp/desk` } } } });
  const missing = await fetch(`${other.url}/.well-known/jwks.json`);
  await other.stop();
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain('No MCP server of this gateway gets tokens of users.');
});

test('a token for another audience is rejected', async () => {
  expect(await stamp(await gateway.createKey('zoe'), 'other')).toBe(
    "Cannot list the tools: MCP server 'other' rejected the gateway's credentials (status 401). Ask the administrator to correct its `headers` or `user_token_audience`.",
  );
});
