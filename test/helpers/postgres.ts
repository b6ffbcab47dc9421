import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { Client } from 'pg';
import { installDebianPackage } from './debian-package.ts';

const BINARIES = '/usr/lib/postgresql/*/bin/postgres';

/**
 * Creates a cluster, runs it, and removes it when its stdin closes, which happens even if its parent is killed; signals to the whole
 * process group must not stop it earlier. Durability is disabled, and all users who can read the folder with its socket have full access.
 */
const SCRIPT = `
trap '' INT TERM HUP
"$2/initdb" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$1/log" 2>&1 || { cat "$1/log" >&2; rm -rf "$1"; exit 1; }
"$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c max_connections=80 -c shared_buffers=32MB </dev/null &
server=$!
cat >/dev/null
kill -QUIT $server
wait $server
rm -rf "$1"
`;

export interface Postgres {
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /**
   * The URL of a new database with the data that `prepare` writes. `prepare` is called once and its database is then copied, so it must
   * disconnect.
   */
  createPrepared(prepare: (url: string) => Promise<void>): Promise<string>;
  /** Drops all databases created so far. */
  dropDatabases(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder with PostgreSQL's programs. If there is none and none can be installed, prints a warning, because tests are then skipped. */
export async function findPostgres(): Promise<string | undefined> {
  if (globSync(BINARIES).length === 0) {
    await installDebianPackage('postgresql', `ls ${BINARIES} 2>/dev/null`);
  }
  const [binary] = globSync(BINARIES).sort().toReversed();
  if (binary === undefined) {
    console.warn(
      `SKIPPED: nothing was tried on PostgreSQL, because there is no ${BINARIES}. Install the package postgresql.`,
    );
    return undefined;
  }
  return dirname(binary);
}

/** The server shared by all test files of a worker. It stops with the worker. */
export function sharedPostgres(programs: string): Promise<Postgres> {
  shared ??= startPostgres(programs);
  return shared;
}

// The server outlives a test file, because workers keep their modules.
let shared: Promise<Postgres> | undefined;

/** Starts a separate server for the caller. */
export async function startPostgres(programs: string): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-postgres-'));
  const user = await serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const server = spawn('sh', ['-c', SCRIPT, 'postgres', folder, programs], {
    stdio: ['pipe', 'ignore', 'pipe'],
    cwd: folder,
    ...user,
  });
  await untilReady(server);
  // A server that is never stopped must not keep its worker alive.
  for (const handle of [server, server.stdin, server.stderr]) (handle as { unref?: () => void }).unref?.();
  const urlOf = (database: string): string => `postgres://postgres@localhost/${database}?host=${folder}`;
  const created: string[] = [];
  const prepared = new Map<unknown, Promise<string>>();
  const run = async (statements: readonly string[]): Promise<void> => {
    const client = new Client(urlOf('postgres'));
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  let count = 0;
  const create = async (template = 'template1'): Promise<string> => {
    count += 1;
    const name = `test_${count}`;
    await run([`create database ${name} template ${template}`]);
    return name;
  };
  const createTemplate = async (prepare: (url: string) => Promise<void>): Promise<string> => {
    const name = await create();
    await prepare(urlOf(name));
    return name;
  };
  const createForTest = async (template?: string): Promise<string> => {
    const name = await create(template);
    created.push(name);
    return urlOf(name);
  };
  return {
    createDatabase: () => createForTest(),
    async createPrepared(prepare) {
      const template = prepared.get(prepare) ?? createTemplate(prepare);
      prepared.set(prepare, template);
      return await createForTest(await template);
    },
    async dropDatabases() {
      await run(created.splice(0).map((name) => `drop database ${name} with (force)`));
    },
    async stop() {
      const ended = once(server, 'close');
      server.stdin?.end();
      await ended;
    },
  };
}

/** PostgreSQL cannot run as root; its package created a user for it. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = async (flag: string): Promise<number> =>
    Number((await execa('id', [flag, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

async function untilReady(server: ChildProcess): Promise<void> {
  if (!server.stderr) throw new Error('Its stderr is not read.');
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line);
    if (line.includes('ready to accept connections')) {
      // Keep reading, otherwise it blocks when the pipe is full.
      server.stderr.resume();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start:\n${said.join('\n')}`);
}
