import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FIXTURES } from '../../helpers/paths.ts';
import { portIn } from '../../helpers/start-executable.ts';
import { type Context, fail, succeed, type WindowsCheck, withServer } from '../check.ts';
import { linuxPath } from '../wine.ts';
import { becomes, windowsProcesses } from '../windows-processes.ts';

const MASTER_KEY = 'the-master-key-of-the-windows-tests-0123456789';
const FOLDER = String.raw`C:\work\gateway ☃`;
const OPTIONS = { cwd: FOLDER, env: { GATEWAY_MASTER_KEY: MASTER_KEY } };
const ON_LOOPBACK = ['serve', '--host', '127.0.0.1', '--port', '0'];

export const GATEWAY_CHECKS: readonly WindowsCheck[] = [
  { name: 'users, budgets and keys, a completion, usage, backup and restore', run: serves },
  { name: 'an experiment with an executable, which ends with it', run: experiments },
  { name: 'an experiment that is terminated ends its processes', run: endsWithGateway },
  { name: 'errors', run: namesMistakes },
];

async function serves(context: Context): Promise<void> {
  const provider = await startProvider('openai');
  try {
    writeConfig(context, provider.url);
    const run = (...args: string[]): Promise<string> =>
      succeed(context, context.programs.gateway, args, OPTIONS);
    await run('migrate');
    const budget = JSON.parse(await run('budgets', 'create', '--amount', '5', '--json')) as {
      budget_id: string;
    };
    await run('users', 'create', 'ada', '--budget', budget.budget_id);
    const key = (await run('keys', 'create', '--user', 'ada')).trim();
    await run('pricing', 'set', 'openai:good', '--input', '1', '--output', '2');
    await withServer(
      context,
      context.programs.gateway,
      ON_LOOPBACK,
      async (banner) => {
        const url = `http://127.0.0.1:${portIn(banner, 'HTTP')}`;
        const body = { model: 'openai:good', messages: [{ role: 'user', content: 'Hello ☃' }] };
        const headers = { 'content-type': 'application/json', 'x-gateway-key': `Bearer ${key}` };
        const post = (more: object): Promise<Response> =>
          fetch(`${url}/v1/chat/completions`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ ...body, ...more }),
          });
        const response = await post({});
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.equal(typeof JSON.parse(text).choices[0].message.content, 'string');
        assert.match(await (await post({ stream: true })).text(), /data: \[DONE\]/);
        const unknown = await fetch(`${url}/v1/models`, { headers: { 'x-gateway-key': 'Bearer no' } });
        assert.equal(unknown.status, 401);
        await run('backup', String.raw`.\backup.db`);
        const port = String(portIn(banner, 'HTTP'));
        assert.match(
          await fail(
            context,
            context.programs.gateway,
            ['serve', '--host', '127.0.0.1', '--port', port],
            OPTIONS,
          ),
          /in use/,
        );
        // Another process has the database open.
        await fail(context, context.programs.gateway, ['restore', 'backup.db', '--force'], OPTIONS);
      },
      OPTIONS,
    );
    assert.match(await run('usage', '--user', 'ada'), /Total: 2 requests, 0 failed/);
    await run('users', 'create', 'later');
    await run('restore', 'backup.db', '--force');
    assert.doesNotMatch(await run('users', 'list'), /later/);
    assert.match(await run('users', 'list'), /ada/);
  } finally {
    await provider.stop();
  }
}

const EXECUTABLE = 'mood.encoder.exe';
const ROWS = ['examples,ground_truth', 'I love this,POSITIVE', 'I hate this,NEGATIVE', ''].join('\r\n');
const EXPERIMENT = [
  'name: moods',
  'dataset: moods.csv',
  'task: text-classification',
  'models:',
  String.raw`  - {name: mood, encoder: '..\mood.encoder.exe', metrics: [accuracy]}`,
  '',
].join('\r\n');

async function experiments(context: Context): Promise<void> {
  writeExperiment(context);
  const args = ['experiment', 'run', '--file', String.raw`.\moods.yml`];
  const report = await succeed(context, context.programs.gateway, args, OPTIONS);
  assert.match(report, /\| mood +\| succeeded \| 2 of 2/);
  assert.deepEqual(windowsProcesses(EXECUTABLE), []);
}

async function endsWithGateway(context: Context): Promise<void> {
  writeExperiment(context, 20_000);
  const args = ['experiment', 'run', '--file', 'moods.yml'];
  const running = context.wine.start(context.programs.gateway, args, OPTIONS);
  try {
    await becomes(() => windowsProcesses(EXECUTABLE).length > 0);
  } finally {
    running.terminate();
    await running.ended;
  }
  await becomes(
    () => windowsProcesses(EXECUTABLE).length === 0 && windowsProcesses('gateway.exe').length === 0,
  );
}

async function namesMistakes(context: Context): Promise<void> {
  const { gateway } = context.programs;
  assert.match(await fail(context, gateway, ['serve', '--config', String.raw`C:\none.yml`]), /C:\\none\.yml/);
  const database = ['--data-dir', String.raw`C:\app\encoder.exe\data`];
  assert.match(await fail(context, gateway, ['migrate', ...database]), /C:\\app\\encoder\.exe/);
}

function folderOf({ work }: Context): string {
  const folder = join(work, 'gateway ☃');
  mkdirSync(folder, { recursive: true });
  return folder;
}

function writeConfig(context: Context, url: string): void {
  const lines = ['data_dir: .\\data', 'providers:', `  openai: {api_base: "${url}/v1", api_key: a-key}`, ''];
  writeFileSync(join(folderOf(context), 'gateway.yml'), lines.join('\r\n'));
}

function writeExperiment(context: Context, repeated = 1): void {
  const folder = folderOf(context);
  if (!existsSync(join(folder, 'gateway.yml')))
    writeFileSync(join(folder, 'gateway.yml'), 'data_dir: data\r\n');
  const [header, ...rows] = ROWS.split('\r\n').filter((row) => row !== '');
  const all = Array.from({ length: repeated }, () => rows).flat();
  writeFileSync(join(folder, 'moods.csv'), [header, ...all, ''].join('\r\n'));
  writeFileSync(join(folder, 'moods.yml'), EXPERIMENT);
  cpSync(linuxPath(context, context.programs.encoder), join(context.work, EXECUTABLE));
}

interface Provider {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A provider of language models on this system. */
async function startProvider(name: string): Promise<Provider> {
  const child: ChildProcess = spawn(process.execPath, [join(FIXTURES, 'providers', `${name}.mjs`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [
    string,
  ];
  return {
    url: (JSON.parse(line) as { url: string }).url,
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
