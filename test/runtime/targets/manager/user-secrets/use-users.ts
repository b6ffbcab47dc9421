import { onTestFinished } from 'vitest';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { type ManagedOptions, openManager } from '../mcp/managed.ts';
import { fixtureServer } from '../upstream/spec.ts';
import { configured, pathsIn, secretsIn } from './configured.ts';

/** The `[[servers]]` table of a program in fixtures/mcp-servers. */
export const serverTable = (name: string, fixture: string, settings: string): string => `
[[servers]]
name = "${name}"
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(fixtureServer(fixture))}]
tools = ["*"]
${settings}
`;

/** A server whose tool `env` returns the values of its user. */
export const ECHO = serverTable(
  'echo',
  'echo.mjs',
  'env = { TOKEN = "token ${user.secret.TOKEN}", WHO = "${user.id}" }',
);

export interface UsersOptions extends Partial<ManagedOptions> {
  readonly users: readonly string[];
  readonly moreKeys?: readonly KeyRecord[];
  readonly folder: string;
}

/** A manager with one key per user; the keys are the names of the users. */
export async function openUsers(config: string, { users, moreKeys = [], folder, ...options }: UsersOptions) {
  const secrets = secretsIn(folder);
  let keys = [...users.map((name) => keyOf(name)), ...moreKeys];
  const managed = await openManager({
    servers: config === '' ? [] : configured(config),
    keys: () => keys,
    userSecrets: secrets,
    paths: pathsIn(folder),
    ...options,
  });
  onTestFinished(() => managed.close());
  const send = async (key: string | undefined, method: string, path: string, body?: object) => {
    const response = await fetch(`${managed.origin}/api/v1${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: bearer(key) }),
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  return {
    managed,
    secrets,
    send,
    removeKey: (name: string) => void (keys = keys.filter((key) => key.name !== name)),
    setSecret: (key: string, name: string, value: string) => send(key, 'PUT', `/secrets/${name}`, { value }),
    call: (key: string | undefined, tool: string, args: object = {}, of = 'echo') =>
      send(key, 'POST', `/servers/${of}/tools/${tool}`, args),
  };
}
