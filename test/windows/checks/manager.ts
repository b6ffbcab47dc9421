import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { findCommandFile } from '#platform/command-file.ts';
import { startNpmRegistry } from '../../helpers/npm-registry.ts';
import { FIXTURES } from '../../helpers/paths.ts';
import { portIn } from '../../helpers/start-executable.ts';
import { type Context, fail, succeed, type WindowsCheck, withServer } from '../check.ts';
import { becomes, windowsProcesses } from '../windows-processes.ts';

const FOLDER = String.raw`C:\work\manager ☃`;
const SERVERS = String.raw`C:\servers and more`;
const OPTIONS = { cwd: FOLDER, env: { MCP_MANAGER_RUNTIME_FILE: String.raw`${FOLDER}\secrets.toml` } };
const DAEMON = ['daemon', '--addr', '127.0.0.1:0'];
/** Arguments with characters that `cmd.exe` interprets. */
const ARGUMENTS = ['a & b', '100%PATH%', 'say "x" | more', String.raw`C:\folder\ `.trimEnd(), '^caret !x! ☃'];
/** A part of the program that the grandchild of `grandchild.mjs` runs. */
const GRANDCHILD = "process.send('ready')";

export const MANAGER_CHECKS: readonly WindowsCheck[] = [
  { name: 'init, add, list, config, validate', run: configures },
  { name: 'serves a program and a batch file, restarts them, prints logs', run: serves },
  { name: 'installs and runs a package with npx', run: runsPackage },
  { name: 'a grandchild ends with its server', run: endsTree },
  { name: 'all processes end with a terminated manager', run: endsWithManager },
  { name: 'errors', run: namesMistakes },
];

/** Calls a tool, and returns its text. */
type CallTool = (server: string, tool: string, args?: object) => Promise<string>;

function prepare({ wine, work }: Context): void {
  mkdirSync(join(work, 'manager ☃'), { recursive: true });
  const servers = join(wine.drive, 'servers and more');
  if (existsSync(servers)) return;
  cpSync(join(FIXTURES, 'mcp-servers'), servers, { recursive: true });
  const lines = [
    "import { serveTools } from './lib/serve-tools.mjs';",
    "serveTools('arguments', { list: () => JSON.stringify(process.argv.slice(2)) });",
  ];
  writeFileSync(join(servers, 'arguments.mjs'), lines.join('\n'));
  // As npm writes programs of packages.
  writeFileSync(join(servers, 'batch.cmd'), '@echo off\r\nC:\\node\\node.exe "%~dp0arguments.mjs" %*\r\n');
}

async function configures(context: Context): Promise<void> {
  prepare(context);
  const run = (...args: string[]): Promise<string> =>
    succeed(context, context.programs.manager, args, OPTIONS);
  await run('init');
  await run('add', 'echo', '--tool', '*', '--', context.node, String.raw`${SERVERS}\echo.mjs`);
  await run('add', 'batch', '--tool', '*', '--', String.raw`${SERVERS}\batch.cmd`, ...ARGUMENTS);
  await run('add', 'family', '--tool', '*', '--', context.node, String.raw`${SERVERS}\grandchild.mjs`);
  await run('config', 'env', 'set', 'echo', 'SERVER_NAME=named ☃');
  const listed = await run('list');
  for (const name of ['echo', 'batch', 'family']) assert.match(listed, new RegExp(`^${name}\\b`, 'm'));
  assert.match(await run('validate'), /3 servers|valid/i);
  assert.match(readFileSync(join(context.work, 'manager ☃/secrets.toml'), 'utf8'), /named ☃/);
  // A file of another editor.
  const config = join(context.work, 'manager ☃/.mcpd.toml');
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll('\n', '\r\n'));
  await run('validate');
}

async function serves(context: Context): Promise<void> {
  await withServer(
    context,
    context.programs.manager,
    DAEMON,
    async (banner) => {
      const { url, callTool, phases } = clientOf(banner);
      await becomes(async () => Object.values(await phases()).every((phase) => phase === 'running'));
      assert.match(await callTool('echo', 'echo', { message: 'weiß ☃' }), /weiß ☃/);
      assert.deepEqual(argumentsIn(await callTool('batch', 'list')), ARGUMENTS);
      const client = (...args: string[]): Promise<string> =>
        succeed(context, context.programs.manager, [...args, '--url', url], OPTIONS);
      assert.match(await client('status'), /echo/);
      await client('restart', 'batch');
      await becomes(async () => (await phases())['batch'] === 'running');
      assert.deepEqual(argumentsIn(await callTool('batch', 'list')), ARGUMENTS);
      await client('logs', 'echo');
      assert.match(await client('tools'), /echo/);
    },
    OPTIONS,
  );
  await becomes(() => windowsProcesses('node.exe').length === 0);
}

/** The list in the text of a result, which is a JSON text. */
const argumentsIn = (result: string): unknown => JSON.parse(JSON.parse(result) as string);

/** Real npm, which is a batch file on Windows, with a registry on this system. */
async function runsPackage(context: Context): Promise<void> {
  const { wine, work, programs } = context;
  const program = findCommandFile({ command: 'npm', env: process.env });
  if (program === undefined) throw new Error('npm is not installed on this system');
  const npm = join(wine.drive, 'node/node_modules/npm');
  if (!existsSync(npm)) {
    // The program is `bin/npm-cli.js` of the package.
    cpSync(dirname(dirname(realpathSync(program))), npm, { recursive: true });
    for (const name of ['npm.cmd', 'npx.cmd']) cpSync(join(npm, 'bin', name), join(wine.drive, 'node', name));
  }
  const bundle = await build({
    entryPoints: [join(FIXTURES, 'mcp-servers/echo.mjs')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  const server = `#!/usr/bin/env node\n${bundle.outputFiles[0]?.text ?? ''}`;
  const published = {
    name: 'windows-echo',
    version: '1.0.0',
    files: { 'server.mjs': server },
    bin: { 'windows-echo': 'server.mjs' },
  };
  const registry = await startNpmRegistry(join(work, 'registry'), [published]);
  const options = {
    cwd: String.raw`${FOLDER}\npx`,
    env: { ...OPTIONS.env, WINEPATH: String.raw`C:\node`, npm_config_registry: registry.url },
  };
  mkdirSync(join(work, 'manager ☃/npx'), { recursive: true });
  try {
    const run = (...args: string[]): Promise<string> => succeed(context, programs.manager, args, options);
    await run('init');
    await run(
      'add',
      'packaged',
      '--tool',
      '*',
      '--package',
      'npx::windows-echo@1.0.0',
      '--pin-hash',
      '--install',
    );
    assert.match((await wine.run(programs.manager, ['doctor'], options)).stdout, /npx.*version \d/);
    await withServer(
      context,
      programs.manager,
      DAEMON,
      async (banner) => {
        const { callTool, phases } = clientOf(banner);
        await becomes(async () => (await phases())['packaged'] === 'running');
        assert.match(await callTool('packaged', 'echo', { message: 'weiß ☃' }), /weiß ☃/);
      },
      options,
    );
    await becomes(() => windowsProcesses('node.exe').length === 0);
  } finally {
    await registry.close();
  }
}

async function endsTree(context: Context): Promise<void> {
  await withServer(
    context,
    context.programs.manager,
    DAEMON,
    async (banner) => {
      const { callTool, phases } = clientOf(banner);
      await becomes(async () => (await phases())['family'] === 'running');
      const pids = (): Promise<string> => callTool('family', 'pids');
      const before = await pids();
      // Node ends the others with itself.
      await callTool('family', 'detach');
      assert.equal(windowsProcesses(GRANDCHILD).length, 2);
      // The server exits by itself, and leaves its grandchildren behind.
      await callTool('family', 'exit').catch(() => '');
      await becomes(async () => (await pids().catch(() => before)) !== before);
      await becomes(() => windowsProcesses(GRANDCHILD).length === 1);
    },
    OPTIONS,
  );
  await becomes(() => windowsProcesses(GRANDCHILD).length === 0);
}

async function endsWithManager(context: Context): Promise<void> {
  const manager = context.wine.start(context.programs.manager, DAEMON, OPTIONS);
  try {
    const { callTool, phases } = clientOf(await manager.said(/"msg":"serving"/));
    await becomes(async () => (await phases())['family'] === 'running');
    await callTool('family', 'detach', { clean: true });
    assert.equal(windowsProcesses(GRANDCHILD).length, 2);
  } finally {
    manager.terminate();
    await manager.ended;
  }
  await becomes(() => windowsProcesses('node.exe').length === 0);
}

async function namesMistakes(context: Context): Promise<void> {
  const { manager } = context.programs;
  assert.match(
    await fail(context, manager, ['daemon', '-c', String.raw`C:\none\.mcpd.toml`]),
    /C:\\none\\\.mcpd\.toml/,
  );
}

interface Client {
  readonly url: string;
  readonly callTool: CallTool;
  /** The phase of each server. */
  readonly phases: () => Promise<Record<string, string>>;
}

function clientOf(banner: string): Client {
  const url = `http://127.0.0.1:${portIn(banner, 'HTTP')}`;
  return {
    url,
    async callTool(server, tool, args = {}) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(args);
      const response = await fetch(`${url}/api/v1/servers/${server}/tools/${tool}`, {
        method: 'POST',
        headers,
        body,
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text;
    },
    async phases() {
      const response = await fetch(`${url}/api/v1/admin/status`);
      const { servers } = (await response.json()) as { servers: { name: string; phase: string }[] };
      return Object.fromEntries(servers.map(({ name, phase }) => [name, phase]));
    },
  };
}
