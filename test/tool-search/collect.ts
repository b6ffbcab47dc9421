import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '#contract/errors.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { findUv } from '../servers/find-uv.ts';
import { LISTED_SERVERS, type ListedServer } from './servers.ts';

/** Definitions are kept between runs, because installing all servers takes many minutes. */
const FOLDER = join(TEST_CACHE, 'tool-search');
/** Includes the installation of the package. */
const LIMIT_MS = 280_000;
const PARALLEL = 3;

export interface CollectedServer {
  readonly name: string;
  readonly tools: readonly Tool[];
}

/** Starts the published servers one after another, and returns the tools that each one lists. */
export async function collectTools(
  servers: readonly ListedServer[] = LISTED_SERVERS,
): Promise<readonly CollectedServer[]> {
  await mkdir(FOLDER, { recursive: true });
  const home = await mkdtemp(join(tmpdir(), 'encoderfile-tools-'));
  try {
    const missing = servers.filter((server) => !existsSync(pathOf(server)));
    if (missing.length > 0) {
      const uv = await findUv(join(TEST_CACHE, 'uv'));
      const queue = [...missing];
      await Promise.all(Array.from({ length: PARALLEL }, () => collectNext(queue, home, uv)));
    }
    const found = servers.filter((server) => existsSync(pathOf(server)));
    return await Promise.all(
      found.map(async (server) => {
        const tools: readonly Tool[] = JSON.parse(await readFile(pathOf(server), 'utf8'));
        return { name: server.name, tools };
      }),
    );
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

const pathOf = ({ name, args }: ListedServer): string =>
  join(FOLDER, `${name}-${args.join(' ').replaceAll(/[^\w.@=-]+/g, '_')}.json`);

async function collectNext(queue: ListedServer[], home: string, uv: string): Promise<void> {
  for (let server = queue.shift(); server; server = queue.shift()) {
    try {
      const tools = await toolsOf(server, home, uv);
      const path = pathOf(server);
      await writeFile(`${path}.tmp`, JSON.stringify(tools));
      await rename(`${path}.tmp`, path);
      console.error(`${server.name}: ${tools.length} tools`);
    } catch (error) {
      console.error(`${server.name}: omitted, because it cannot be started here: ${messageOf(error)}`);
    }
  }
}

async function toolsOf({ name, command, args, env = {} }: ListedServer, home: string, uv: string) {
  const cwd = join(home, name);
  await mkdir(cwd, { recursive: true });
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    cwd,
    env: { ...ownVariables(), HOME: home, PATH: [uv, process.env['PATH']].join(delimiter), ...env },
    stderr: process.env['SHOW_LOG'] ? 'inherit' : 'ignore',
  });
  const client = new Client({ name: 'tool-search', version: '1' });
  const options = { timeout: LIMIT_MS };
  try {
    await client.connect(transport, options);
    const tools: Tool[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor }, options);
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  } finally {
    await client.close();
  }
}

/** The variables of this shell, e.g. certificates and proxies of the registries. */
function ownVariables(): Record<string, string> {
  const all = Object.entries(process.env);
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

if (import.meta.main) {
  const servers = await collectTools();
  const count = servers.reduce((sum, { tools }) => sum + tools.length, 0);
  console.log(`${servers.length} servers with ${count} tools in ${FOLDER}`);
}
