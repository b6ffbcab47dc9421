import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '../../../runtime/core/json/json-text.ts';
import { installPython } from '../../helpers/install-python.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../../helpers/paths.ts';
import { type RunningExecutable, startExecutable } from '../../helpers/start-executable.ts';
import { stopAll, urlOf } from '../gateway/started.ts';

// `npm run test:clients:datasets`: imports from a real S3 server, uploads with a client of tus while the gateway is killed, reads Parquet with
// pyarrow, loads exported files with `datasets`, and exports to a real MLflow server. Needs Python 3 with venv, and Go for the S3 server.

const HERE = import.meta.dirname;
const S3_SERVER = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';

const environment = join(HERE, 'node_modules', '.venvs', 'datasets');
const python = await installPython(join(HERE, 'requirements.txt'), environment);
const programs = join(TEST_CACHE, 'go');
if (!existsSync(join(programs, 'versitygw')))
  await execa('go', ['install', S3_SERVER], { env: { GOBIN: programs }, stderr: 'inherit' });

const folder = mkdtempSync(join(tmpdir(), 'gateway-datasets-'));
const started: RunningExecutable[] = [];
let isOver = false;
const start = (command: string, args: readonly string[], env = {}): RunningExecutable => {
  const running = startExecutable(command, args, env);
  started.push(running);
  return running;
};
try {
  const [port, s3, mlflow] = [await freePort(), await freePort(), await freePort()];
  mkdirSync(join(folder, 's3'));
  const keys = { ROOT_ACCESS_KEY: 'AKIDTEST', ROOT_SECRET_KEY: 'secretkey123' };
  start(join(programs, 'versitygw'), ['--port', `127.0.0.1:${s3}`, 'posix', join(folder, 's3')], keys);
  const artifacts = join(folder, 'artifacts');
  const store = `sqlite:///${join(folder, 'mlflow.db')}`;
  const options = ['--workers', '1', '--backend-store-uri', store, '--artifacts-destination', artifacts];
  start(join(environment, 'bin', 'mlflow'), ['server', '--port', String(mlflow), ...options]);
  const provider = start(process.execPath, [join(FIXTURES, 'providers', 'openai.mjs')]);
  const config = join(folder, 'gateway.json');
  const providers = { openai: { api_base: await urlOf(provider), api_key: 'any' } };
  writeFileSync(config, JSON.stringify({ port, data_dir: folder, providers }));
  const command = [process.execPath, join(ROOT, 'runtime/targets/gateway/main.ts')];
  const [program = '', ...rest] = command;
  const startGateway = (): RunningExecutable =>
    start(program, [...rest, 'serve', '-c', config, '--no-watch']);
  const gateway = startGateway();
  // A check kills it.
  void gateway.ended.then(() => isOver || startGateway());
  const urls = [`http://127.0.0.1:${port}/health`, `http://127.0.0.1:${mlflow}/health`];
  for (const url of urls) await answering(url);
  const given = {
    url: `http://127.0.0.1:${port}`,
    s3: `http://127.0.0.1:${s3}`,
    mlflow: `http://127.0.0.1:${mlflow}`,
    pid: gateway.child.pid,
    gateway: command,
    folder,
  };
  const { stdout } = await execa(python, [join(HERE, 'checks.py'), JSON.stringify(given)], {
    stderr: 'ignore',
  });
  const checks = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => parseJsonText(line) as { readonly name: string; readonly problem: string | null });
  for (const { name, problem } of checks)
    console.log(problem === null ? `yes  ${name}` : `no   ${name}: ${problem}`);
  const failed = checks.filter(({ problem }) => problem !== null);
  process.exitCode = failed.length === 0 && checks.length >= 6 ? 0 : 1;
} finally {
  isOver = true;
  await stopAll(started);
  rmSync(folder, { recursive: true, force: true });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${url} does not answer`);
}
