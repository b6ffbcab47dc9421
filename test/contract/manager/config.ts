import { join } from 'node:path';
import { FIXTURES } from '../../helpers/paths.ts';

interface ServerTable {
  readonly name: string;
  /** A file of `fixtures/mcp-servers`, and its arguments. */
  readonly run: readonly [fixture: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Any other keys, as written in the file. */
  readonly keys?: string;
}

/** The `[[servers]]` of a configuration file, each with a fixture in place of a real server. */
export const serversToml = (...servers: readonly ServerTable[]): string =>
  servers
    .map(({ name, run: [fixture, ...args], env = {}, keys = '' }) =>
      [
        '[[servers]]',
        `name = ${JSON.stringify(name)}`,
        `command = ${JSON.stringify(process.execPath)}`,
        `args = ${JSON.stringify([join(FIXTURES, 'mcp-servers', fixture), ...args])}`,
        ...(keys.includes('tools =') ? [] : ['tools = ["*"]']),
        keys,
        ...(Object.keys(env).length > 0 ? ['[servers.env]'] : []),
        ...Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
        '',
      ].join('\n'),
    )
    .join('\n');

export const ECHO = serversToml({ name: 'echo', run: ['echo.mjs'] });

/** Two fixture servers. */
export const TWO = serversToml({ name: 'one', run: ['echo.mjs'] }, { name: 'two', run: ['echo.mjs'] });
