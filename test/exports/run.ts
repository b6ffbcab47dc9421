import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { MODELS_CACHE } from '../models/unpack.ts';
import { chosen } from '../helpers/chosen.ts';
import { printTable } from '../bench/measure/print.ts';

// `npm run test:exports [-- NAME...]`: creates small models as other libraries save them, builds each, and follows the error message with
// the real tools, running every printed command until the model is built. The graphs are compared with the models. Exit code 1 if the
// instructions fail. EXPORTS_PYTHON is the Python of an environment that has the packages.

/**
 * The first command that the build prints; it creates the environment, with additional packages that are needed only to write the models.
 */
const INSTALL = new Set(['pip install "optimum-onnx[onnxruntime]"', 'pip install torch transformers onnx']);
const PACKAGES = ['optimum-onnx[onnxruntime]', 'sentence-transformers'];
/** Models that no export can make usable: the error must state this, without a command. */
const REFUSED = new Set(['umt5']);
/** Relative to the largest value of a model. */
const LIMIT = 1e-5;
const MAKE = join(dirname(fileURLToPath(import.meta.url)), 'make.py');

const python = process.env['EXPORTS_PYTHON'] ?? (await install());
const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-exports-'));
const models = join(scratch, 'models');
try {
  mkdirSync(models);
  const tools = join(scratch, 'bin');
  mkdirSync(tools);
  writeFileSync(
    join(tools, 'encoderfile'),
    `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'cli/bin.ts')}" "$@"\n`,
    { mode: 0o755 },
  );
  const env = {
    PATH: [tools, dirname(python), process.env['PATH']].join(delimiter),
    HF_HUB_OFFLINE: '1',
    ENCODERFILE_BUILD_CACHE_DIR: TEST_CACHE,
  };
  const wanted = process.argv.slice(2);
  await execa(python, [MAKE, models, join(FIXTURES, 'models/embedder'), ...wanted], { env });
  const names = chosen(readdirSync(models), (name) => name, wanted);
  const rows: string[][] = [];
  for (const name of names.toSorted()) rows.push(await rowOf(name, env));
  printTable(['model', 'way out', 'difference'], rows);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

type Env = Readonly<Record<string, string>>;

async function rowOf(name: string, env: Env): Promise<string[]> {
  try {
    const row = [name, ...(await follow(name, env))];
    console.error(row.join('  '));
    return row;
  } catch (error) {
    process.exitCode = 1;
    console.error(`FAILED: ${name}: ${messageOf(error)}`);
    return [name, 'FAILED', '-'];
  }
}

async function follow(name: string, env: Env): Promise<[way: string, difference: string]> {
  const first = await build(`./${name}`, env);
  if (first.exitCode === 0) throw new Error('The build needs no export.');
  const message = first.stderr;
  const commands = [...message.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command);
  if (REFUSED.has(name)) {
    if (/ cannot be built: /.test(message) && commands.length === 0) return ['none', '-'];
    throw new Error(message);
  }
  const [pip = '', ...others] = commands.filter((command) => / /.test(command));
  if (!INSTALL.has(pip)) throw new Error(`The first command is ${pip}: ${message}`);
  for (const command of others) {
    const line = command.startsWith('encoderfile build ') ? `${command} --no-build --force` : command;
    const { exitCode, stderr } = await execa('sh', ['-c', line], { cwd: models, env, reject: false });
    if (exitCode !== 0) throw new Error(`${command}: ${stderr.trim().split('\n').slice(-3).join(' | ')}`);
  }
  if (!others.at(-1)?.startsWith('encoderfile build '))
    throw new Error(`The last command builds nothing: ${message}`);
  const graph = join(models, name, 'onnx/model.onnx');
  if (!existsSync(graph)) throw new Error(`${graph} was not written.`);
  const { stdout } = await execa(python, [MAKE, '--check', join(models, name), graph], { env });
  const difference = Number(stdout.trim().split('\n').at(-1));
  if (!(difference <= LIMIT)) throw new Error(`The graph differs by ${stdout}.`);
  return [others[0]?.startsWith('optimum-cli') ? 'optimum' : 'export.py', difference.toExponential(1)];
}

async function build(folder: string, env: Env) {
  const command = `encoderfile build "${folder}" -q --no-build`;
  return await execa('sh', ['-c', command], { cwd: models, env, reject: false });
}

/** An environment with the packages that the build prints; torch alone has several gigabytes. */
async function install(): Promise<string> {
  const folder = join(MODELS_CACHE, 'python-exports');
  const installed = join(folder, 'bin/python');
  if (existsSync(join(folder, 'ready'))) return installed;
  await execa('python3', ['-m', 'venv', '--clear', folder]);
  await execa(installed, ['-m', 'pip', 'install', '-q', ...PACKAGES], { stdio: 'inherit' });
  writeFileSync(join(folder, 'ready'), '');
  return installed;
}
