import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect } from 'vitest';
import { parse } from 'yaml';
import { readRows } from '#gateway/evaluation/datasets/read/read-rows.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { LABELLED } from '../../runtime/targets/gateway/evaluation/workflows/workflow-requests.ts';
import type { CommandArm } from '../command-arms.ts';
import { type StoreFolder, storeFolder } from './command-folder.ts';
import { providersFor } from './config.ts';
import { startMlflow } from './mlflow-server.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const [encoder, openai] = [await startFixture('encoder'), await startFixture('openai')];
const mlflow = await startMlflow();

type Ran = readonly [files: StoreFolder, experiment: string];
/** One experiment for all tests of an arm. */
const ran = new Map<string, Promise<Ran>>();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder with the database of an experiment with two models, the second of which failed. */
const experimentIn = (arm: CommandArm): Promise<Ran> => {
  const found = ran.get(arm.name) ?? runExperiment(arm);
  ran.set(arm.name, found);
  return found;
};

async function runExperiment(arm: CommandArm): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  folders.push(folder);
  const files = storeFolder(arm, folder);
  files.write('guards.csv', LABELLED);
  const lines = [
    'name: guards',
    'tags: [nightly]',
    'dataset: guards.csv',
    'task: text-classification',
    'metrics: [accuracy]',
    'models:',
    `  - {name: a guard, encoder: "${encoder.url}"}`,
    '  - {name: no, model: "openai:fails-400"}',
  ];
  const file = files.write('guards.yml', lines.join('\n'));
  const { run } = storeFolder(arm, folder, { providers: providersFor({ openai }) });
  const { exitCode } = await run('experiment', 'run', '--file', file, '--data-dir', files.path('data'));
  expect(exitCode).toBe(1);
  const [{ id }] = await files.json('experiment', 'list');
  return [files, id];
}

verifiesGatewayCommand('gateway:experiment-export:mlflow', async (arm) => {
  const [files, id] = await experimentIn(arm);
  const to = ['experiment', 'export', id, '--to', 'mlflow'];
  const server = ['--mlflow-url', mlflow.url, '--mlflow-token', 'token of mlflow'];
  const first = (await files.done(...to, ...server)).trimEnd().split('\n');
  const second = (await files.json(...to, ...server)).runs;
  expect(second).toHaveLength(2);
  expect(first.filter((run) => second.includes(run))).toEqual([]);
  expect(mlflow.runs().map((run) => run.id)).toEqual(second);
  expect(mlflow.experiments).toEqual(['guards']);
  expect([...mlflow.credentials]).toEqual(['Bearer token of mlflow']);
  const [guard, failed] = mlflow.runs();
  expect(failed).toMatchObject({
    name: 'no',
    status: 'FAILED',
    tags: { 'gateway.error': expect.any(String) },
  });
  expect(guard).toMatchObject({
    name: 'a guard',
    status: 'FINISHED',
    tags: { 'gateway.experiment_id': id },
    params: { provider: 'encoder', task: 'text-classification' },
    metrics: { accuracy: 0.75, answered_share: 1 },
  });
  expect(guard?.metrics).toHaveProperty('p95_latency_ms');
  expect(guard?.artifacts['answers.csv']).toMatch(/^examples,ground_truth,predictions/);
  expect(guard?.artifacts['comparison.md']).toMatch(/^# guards\n/);
  expect(await files.refused(2, ...to)).toContain('requires --mlflow-url');
  expect(await files.refused(1, ...to, '--mlflow-url', 'http://127.0.0.1:9')).toContain(
    'Cannot reach MLflow at http://127.0.0.1:9',
  );
});

verifiesGatewayCommand('gateway:experiment-export:huggingface', async (arm) => {
  const [files, id] = await experimentIn(arm);
  const to = ['experiment', 'export', id, '--to', 'huggingface'];
  const output = files.path('export');
  expect(await files.done(...to, '--output', output)).toBe(`${output}\n`);
  const card = readFileSync(files.path('export/README.md'), 'utf8');
  const [, head = ''] = /^---\n([^]*?)\n---\n\n# guards\n/.exec(card) ?? [];
  expect(parse(head)).toMatchObject({
    pretty_name: 'guards',
    tags: ['nightly'],
    configs: [{ config_name: 'a-guard', data_files: [{ split: 'test', path: 'a-guard/test.parquet' }] }],
  });
  const parquet = readFileSync(files.path('export/a-guard/test.parquet'));
  const rows = await Array.fromAsync(readRows('test.parquet', Readable.from([parquet])));
  expect(rows).toHaveLength(4);
  expect(rows[1]).toMatchObject({ examples: 'This is an attack', predictions: 'INJECTION' });
  expect(JSON.parse(readFileSync(files.path('export/metrics.json'), 'utf8'))).toMatchObject({
    'a-guard': { accuracy: 0.75 },
  });
  expect(await files.refused(1, ...to, '--output', output)).toContain('is not empty. Choose a new folder.');
  expect(await files.refused(2, ...to)).toContain('requires --output');
});

verifiesGatewayCommand('gateway:experiment-update', async (arm) => {
  const [files, id] = await experimentIn(arm);
  const list = (...args: string[]): Promise<readonly { readonly id: string }[]> =>
    files.json('experiment', 'list', ...args);
  expect(await list('--search', 'GUARD', '--tag', 'nightly')).toMatchObject([{ id }]);
  await files.done('experiment', 'update', id, '--name', 'Größe', '--tag', 'release', '--tag', 'v1');
  expect(await list('--search', 'GRÖß', '--tag', 'v1', '--tag', 'release')).toMatchObject([
    { id, name: 'Größe', tags: ['release', 'v1'] },
  ]);
  expect(await list('--tag', 'nightly')).toEqual([]);
  await files.done('experiment', 'update', id, '--no-tags');
  expect(await list('--tag', 'v1')).toEqual([]);
  expect(await files.refused(2, 'experiment', 'update', id)).toContain('Nothing to change.');
});
