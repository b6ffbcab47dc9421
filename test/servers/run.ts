import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { ROOT } from '../helpers/paths.ts';
import { freePort } from '../sign-in/processes.ts';
import { findUv } from './find-uv.ts';
import { PUBLISHED_SERVERS } from './published-servers.ts';
import { chosen } from '../helpers/chosen.ts';

// `npm run test:servers`: adds third-party servers from npm and PyPI with the manager's own commands, starts the manager with cold caches,
// and prints when each server was ready, and the number of starts. Then starts it again with warm caches. Fails if a server that can be
// started manually failed on its first start. Arguments select servers by name. Requires npx, uvx (or Python 3 with venv, to install it) and
// the registries; takes 5 to 15 minutes on 2 cores.

const MANAGER = join(ROOT, 'runtime/targets/manager/main.ts');
const LIMIT_MS = 20 * 60_000;
const home = mkdtempSync(join(tmpdir(), 'encoderfile-servers-'));
const servers = chosen(PUBLISHED_SERVERS, ({ name }) => name);

interface State {
  readonly name: string;
  readonly phase: string;
  readonly restarts: number;
  readonly reason?: string;
}

const port = String(await freePort());
const url = `http://127.0.0.1:${port}`;
/** The variables of a user's shell, e.g. certificates and proxies, with separate caches. */
const env = {
  ...process.env,
  npm_config_cache: join(home, '.npm'),
  UV_CACHE_DIR: join(home, '.cache/uv'),
  PATH: [await findUv(home), process.env['PATH']].join(delimiter),
  HOME: home,
  XDG_CACHE_HOME: join(home, '.cache'),
  XDG_CONFIG_HOME: join(home, '.config'),
  MCP_MANAGER_PORT: port,
};
const manager = (...args: string[]) =>
  execa(process.execPath, [MANAGER, ...args], { cwd: home, env, extendEnv: false });

await manager('init');
for (const { name, args } of servers) await manager('add', name, '--tool', '*', ...args);

/** Runs the manager until all servers are running or have failed; returns the seconds until each one was running, and its last state. */
async function run(): Promise<ReadonlyMap<string, State & { readonly seconds?: number }>> {
  const startedAt = Date.now();
  const daemon = spawn(process.execPath, [MANAGER, 'daemon', '--log-level', 'warn'], {
    cwd: home,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const states = new Map<string, State & { readonly seconds?: number }>();
  let log = '';
  daemon.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = once(daemon, 'exit');
  try {
    while (Date.now() - startedAt < LIMIT_MS) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const shown = await manager('status', '--json', '--url', url).catch(() => undefined);
      if (!shown) continue;
      const { servers: now } = JSON.parse(shown.stdout) as { servers: State[] };
      for (const state of now) {
        const seconds =
          states.get(state.name)?.seconds ??
          (state.phase === 'running' ? (Date.now() - startedAt) / 1000 : undefined);
        states.set(state.name, { ...state, ...(seconds !== undefined && { seconds }) });
      }
      if (now.every(({ phase, restarts }) => phase === 'running' || restarts > 0)) break;
    }
  } finally {
    daemon.kill('SIGTERM');
    await exited;
    if (process.env['SHOW_LOG']) console.error(log);
  }
  return states;
}

let failures = 0;
try {
  for (const title of ['cold caches', 'warm caches']) {
    const states = await run();
    console.log(
      `\n${title}\n${'server'.padEnd(24)}${'phase'.padEnd(12)}${'seconds'.padStart(8)}${'restarts'.padStart(10)}  reason`,
    );
    for (const { name, fault } of servers) {
      const state = states.get(name.toLowerCase());
      const isFirst = state?.phase === 'running' && state.restarts === 0;
      if (!isFirst && fault === undefined) failures += 1;
      const reason = isFirst
        ? ''
        : `${state?.reason ?? 'no state'}${fault === undefined ? '' : ` [expected: ${fault}]`}`;
      console.log(
        `${name.padEnd(24)}${(state?.phase ?? '-').padEnd(12)}${(state?.seconds?.toFixed(0) ?? '-').padStart(8)}${String(state?.restarts ?? '-').padStart(10)}  ${reason}`,
      );
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}
console.log(`\n${failures} of ${servers.length} servers did not start at their first start`);
process.exit(failures === 0 ? 0 : 1);
