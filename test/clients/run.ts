import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '../../runtime/core/json/json-text.ts';
import { installLocked } from '../helpers/install-locked.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { portIn, type RunningExecutable, startExecutable } from '../helpers/start-executable.ts';

// `npm run test:clients`: serves fixture models with real executables and calls every route for other APIs with the clients of
// those APIs, from npm and from Python's registry. Prints a table. Needs Python 3 with venv. Takes some minutes.

interface Row {
  readonly client: string;
  readonly version: string;
  readonly door: string;
  readonly call: string;
  readonly problem: string | null;
}

const MODELS = ['sentence', 'sentiment', 'reranker', 'ner'];
const HERE = import.meta.dirname;

await installLocked(HERE, 'clients from npm');
const python = await installPython();
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-clients-'));
const servers: RunningExecutable[] = [];
try {
  const urls: Record<string, string> = {};
  for (const model of MODELS) urls[model] = await serve(model);
  const rows = [
    ...(await rowsOf(python, 'checks.py', urls)),
    ...(await rowsOf(process.execPath, 'checks.mjs', urls)),
  ];
  for (const line of table(rows)) console.log(line);
  process.exitCode = rows.every(({ problem }) => problem === null) ? 0 : 1;
} finally {
  for (const { child, ended } of servers) {
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Installs the Python clients in a virtual environment, once, and again when the list changes. */
async function installPython(): Promise<string> {
  const environment = join(HERE, 'node_modules', '.venv');
  const wanted = readFileSync(join(HERE, 'requirements.txt'), 'utf8');
  const stamp = join(environment, 'installed.txt');
  const installed = join(environment, 'bin', 'python');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return installed;
  console.error('Installing clients for Python ...');
  await execa('python3', ['-m', 'venv', '--clear', environment]);
  await execa(installed, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '-r',
    join(HERE, 'requirements.txt'),
  ]);
  writeFileSync(stamp, wanted);
  return installed;
}

async function serve(model: string): Promise<string> {
  const path = join(folder, `${model}.encoder`);
  const config = join(FIXTURES, 'models', model, 'encoderfile.yml');
  const build = [join(ROOT, 'cli/bin.ts'), 'build', '-f', config, '--quiet', '-o', path];
  await execa(process.execPath, [...build, '--cache-dir', TEST_CACHE]);
  const args = ['serve', '--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc'];
  const server = startExecutable(path, [...args, '--log-level', 'warn']);
  servers.push(server);
  return `http://127.0.0.1:${portIn(await server.said(/^ +HTTP +.*\n/m), 'HTTP')}`;
}

async function rowsOf(program: string, script: string, urls: object): Promise<Row[]> {
  const { stdout } = await execa(program, [join(HERE, script), JSON.stringify(urls)], {
    stderr: 'inherit',
    cwd: HERE,
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => parseJsonText(line) as Row);
}

function table(rows: readonly Row[]): string[] {
  return [
    '| client | route | call | result |',
    '|---|---|---|---|',
    ...rows.map(
      ({ client, version, door, call, problem }) =>
        `| ${client} ${version} | ${door} | ${call} | ${problem?.replaceAll(/\s+/g, ' ') ?? 'ok'} |`,
    ),
  ];
}
