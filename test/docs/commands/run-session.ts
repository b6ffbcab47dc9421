import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../bench/measure/started.ts';
import { ROOT, TEST_CACHE } from '../../helpers/paths.ts';
import type { Command } from './blocks.ts';

/** Paths of the programs, by their names on pages. `encoderfile` can be a Node script. */
interface Programs {
  readonly encoderfile: string;
  readonly 'mcp-manager'?: string;
  readonly gateway?: string;
}

/** The environment in which commands run. */
export interface Surroundings {
  readonly root: string;
  /** The current folder, relative to the home folder. */
  readonly folder: string;
  readonly programs: Programs;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Variables that set the documented ports of servers. */
const PORTS: Readonly<Record<string, string>> = {
  8000: 'GATEWAY_PORT',
  8123: 'GATEWAY_PORT',
  8090: 'MCP_MANAGER_PORT',
  8080: 'ENCODERFILE_HTTP_PORT',
};

/** Commands that run until they are stopped, with the variable for their port. */
const SERVERS: readonly (readonly [pattern: RegExp, variable: string])[] = [
  [/(?:^|\/)gateway serve$/, 'GATEWAY_PORT'],
  [/(?:^|\/)mcp-manager daemon$/, 'MCP_MANAGER_PORT'],
  [/\.encoder serve(?: --local)?$/, 'ENCODERFILE_HTTP_PORT'],
  [/^node fixtures\/providers\//, ''],
];

/** Values that differ between runs, and that later commands on a page repeat. */
const REPEATED =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|http:\/\/127\.0\.0\.1:\d+|gw-[\w-]{30,}/g;

/** Whether a command starts a server, which logs additional lines after the documented output. */
export const isServer = (command: string): boolean => SERVERS.some(([pattern]) => pattern.test(command));

/**
 * Runs the commands of a page in order in one bash process, so that variables are kept, and returns the output of each: stdout and stderr
 * as on a terminal. Documented IDs are replaced with those of this run. Servers use free ports and stop with the session.
 */
export async function runSession(
  { root, folder, programs, env }: Surroundings,
  commands: readonly Command[],
): Promise<string[]> {
  const home = join(root, 'home');
  const bin = join(root, 'bin');
  for (const path of [join(home, folder), bin]) mkdirSync(path, { recursive: true });
  writePrograms(bin, programs);
  // Pages do not show progress.
  writeFileSync(join(home, '.curlrc'), 'silent\nshow-error\n');
  const shell = spawn('bash', ['--norc'], {
    cwd: join(home, folder),
    env: { ...(await variables(home, bin, commands)), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const outputs: string[] = [];
  const known = new Map<string, string>();
  try {
    for (const [index, { command, output }] of commands.entries()) {
      const path = join(root, `output-${index}`);
      shell.stdin.write(`${scriptOf(withKnown(command, known), path)}\necho done\n`);
      await lines.next();
      const actual = readFileSync(path, 'utf8');
      const values = actual.match(REPEATED) ?? [];
      for (const [at, value] of (output.match(REPEATED) ?? []).entries())
        known.set(value, values[at] ?? value);
      outputs.push(asOnPage(actual, home, programs));
    }
  } finally {
    // The process group contains the shell and its servers.
    const ended = once(shell, 'exit');
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM');
    shell.stdin.end();
    await ended;
  }
  return outputs;
}

/** The script for a command that writes its output to a file. The script exits when a server is ready. */
function scriptOf(command: string, output: string): string {
  const [, variable] = SERVERS.find(([pattern]) => pattern.test(command)) ?? [];
  if (variable === undefined) return `{ ${command}\n} > '${output}' 2>&1 < /dev/null`;
  const isReady =
    variable === ''
      ? `[ -s '${output}' ]`
      : `curl -sf "http://127.0.0.1:$${variable}/readyz" > '${output}.ready' 2>&1`;
  return `${command} > '${output}' 2>&1 < /dev/null &\nuntil ${isReady}; do kill -0 $! || break; sleep 0.05; done`;
}

function withKnown(command: string, known: ReadonlyMap<string, string>): string {
  let text = command;
  for (const [shown, actual] of known) text = text.replaceAll(shown, actual);
  for (const [port, name] of Object.entries(PORTS))
    text = text.replaceAll(`localhost:${port}`, `localhost:$${name}`);
  return text;
}

async function variables(
  home: string,
  bin: string,
  commands: readonly Command[],
): Promise<Record<string, string>> {
  const names = [...new Set(Object.values(PORTS))];
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, String(await freePort())] as const)),
  );
  return {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    LANG: 'C.UTF-8',
    NODE_COMPILE_CACHE: join(TEST_CACHE, 'compiled'),
    ENCODERFILE_CACHE_DIR: TEST_CACHE,
    ENCODERFILE_BUILD_CACHE_DIR: TEST_CACHE,
    ENCODERFILE_GRPC_PORT: '0',
    ...ports,
    ...(commands.some(({ command }) => command.endsWith('daemon')) && {
      MCP_MANAGER_URL: `http://127.0.0.1:${ports['MCP_MANAGER_PORT']}`,
    }),
  };
}

/** Programs in the PATH under their documented names. `npx` starts the programs of the clone. */
function writePrograms(folder: string, { encoderfile, ...others }: Programs): void {
  const node = encoderfile.endsWith('js') ? `"${process.execPath}" ` : '';
  const cli = `exec ${node}"${encoderfile}" "$@"`;
  const everything = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const scripts: Record<string, string> = {
    encoderfile: cli,
    npx: [
      `if [ "$1" = encoderfile ]; then shift; ${cli}; fi`,
      // The installation before the server starts; in a clone, it has already happened.
      'for one; do case "$one" in --package=*) exit 0;; esac; done',
      'for one; do case "$one" in @modelcontextprotocol/server-everything@*)',
      `exec "${process.execPath}" "${everything}";; esac; done`,
      'exit 1',
    ].join('\n'),
    node: `exec "${process.execPath}" "$@"`,
  };
  for (const [name, path] of Object.entries(others)) scripts[name] = `exec "${path}" "$@"`;
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
}

/** Output with the documented paths. */
function asOnPage(text: string, home: string, { 'mcp-manager': manager }: Programs): string {
  const own = manager === undefined ? text : text.replaceAll(manager, '/usr/local/bin/mcp-manager');
  return own.replaceAll(home, '/home/me');
}
