import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer } from '../access/key-of.ts';
import { sendStateless } from '../mcp/stateless-request.ts';
import { openUsers, serverTable } from './use-users.ts';

const temp = useTempFolder();

const USERS = ['ann', 'bob', 'cyd', 'dan'];
/** Matches the secrets of all others. */
const othersOf = (user: string): RegExp =>
  new RegExp(
    USERS.filter((one) => one !== user)
      .map((one) => `${one}-secret`)
      .join('|'),
  );

/** Lists, descriptions and results of `mine` contain the user's secret; results of `echo` are long. */
const CONFIG =
  serverTable(
    'mine',
    'changing.mjs',
    'env = { TOOLS = \'[{"name": "own-${user.secret.TOKEN}", "description": "Reads the ledger of ${user.secret.TOKEN}.", "inputSchema": {"type": "object"}}]\' }',
  ) +
  serverTable('echo', 'echo.mjs', 'env = { TOKEN = "${user.secret.TOKEN}", LONG = "${user.secret.LONG}" }');

const READ_MORE = 'mcp_manager_read_more';
const textOf = (result: unknown): string => JSON.stringify(result);

async function openModes() {
  const users = await openUsers(CONFIG, {
    users: USERS,
    folder: temp(),
    clientModes: ['all', 'search', 'code'],
    resultLimit: 4000,
  });
  for (const user of USERS) {
    expect((await users.setSecret(user, 'TOKEN', `${user}-secret`)).status).toBe(200);
    expect((await users.setSecret(user, 'LONG', `${user}-secret `.repeat(800))).status).toBe(200);
  }
  const connect = (user: string, mode: string): Promise<Client> =>
    users.managed.connect(`/mcp?mode=${mode}`, { authorization: bearer(user) });
  return { ...users, connect };
}

/** Returns what the user gets in a mode, of lists, searches, calls, scripts and errors. */
const PROBES: Readonly<Record<string, (client: Client, user: string) => Promise<readonly unknown[]>>> = {
  all: async (client, user) => [
    await client.listTools(),
    await client.callTool({ name: `mine__own-${user}-secret`, arguments: {} }),
    await client.callTool({ name: 'echo__env', arguments: {} }),
  ],
  search: async (client, user) => [
    await client.callTool({ name: 'search_tools', arguments: { query: 'ledger' } }),
    await client.callTool({ name: 'search_tools', arguments: { query: 'secret' } }),
    await client.callTool({
      name: 'call_tool',
      arguments: { name: `mine__own-${user}-secret`, arguments: {} },
    }),
    await client.callTool({ name: 'call_tool', arguments: { name: 'echo__env', arguments: {} } }),
  ],
  code: async (client, user) => [
    await client.callTool({ name: 'search_tools', arguments: { query: 'ledger' } }),
    ...(await Promise.all(
      [
        `return tools.mine["own-${user}-secret"]{}`,
        'local names = {} for name in pairs(tools.mine) do names[#names + 1] = name end return names',
        'return tools.echo.env{}',
        ...USERS.map(
          (other) =>
            `return pcall(function() return tools.mine["own-" .. ${spelled(other)} .. "-" .. "secret"]{} end)`,
        ),
      ].map(async (script) => await client.callTool({ name: 'run_script', arguments: { script } })),
    )),
  ],
};
/** The name of a user, so that an error that repeats the script does not contain it. */
const spelled = (user: string): string =>
  user
    .split('')
    .map((letter) => `"${letter}"`)
    .join(' .. ');

test.each(Object.keys(PROBES))(
  'in the mode %s, users in parallel only see tools and results of their own instances',
  async (mode) => {
    const { connect } = await openModes();
    const clients = await Promise.all(USERS.map((user) => connect(user, mode)));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        clients.map(async (client, at) => {
          const user = USERS[at] ?? '';
          const found = await PROBES[mode]?.(client, user);
          for (const result of found ?? []) {
            const text = textOf(result);
            // The error repeats the name that the script itself contains.
            const shown = text.replaceAll(/tool not found: mine\/own-\w+-secret/g, '');
            expect(shown, user).not.toMatch(othersOf(user));
          }
          expect(textOf(found)).toContain(`own-${user}-secret`);
        }),
      );
    }
  },
);

test('the rest of a long result can only be read by its user, with a session and without', async () => {
  const { connect, managed } = await openModes();
  for (const mode of ['all', 'search', 'code']) {
    const [ann, bob] = [await connect('ann', mode), await connect('bob', mode)];
    const calls = {
      all: { name: 'echo__env', arguments: {} },
      search: { name: 'call_tool', arguments: { name: 'echo__env', arguments: {} } },
      code: { name: 'run_script', arguments: { script: 'return tools.echo.env{}' } },
    };
    const first = await ann.callTool(calls[mode as keyof typeof calls]);
    const notice = (first.content as readonly { readonly text?: string }[]).at(-1)?.text ?? '';
    const [, json = ''] = /mcp_manager_read_more (\{[^}]*\})/.exec(notice) ?? [];
    expect(json, mode).not.toBe('');
    const args = JSON.parse(json) as Record<string, unknown>;
    const foreign = [
      await bob.callTool({ name: READ_MORE, arguments: args }).catch(String),
      await (
        await sendStateless(managed.origin, 'tools/call', {
          path: `/mcp?mode=${mode}`,
          params: { name: READ_MORE, arguments: args },
          headers: { authorization: bearer('bob') },
        })
      ).text(),
    ];
    for (const result of foreign) expect(textOf(result), mode).not.toContain('ann-secret');
    const own = await ann.callTool({ name: READ_MORE, arguments: args });
    expect(textOf(own), mode).toContain('ann-secret');
    expect(textOf(own), mode).not.toMatch(othersOf('ann'));
  }
});
