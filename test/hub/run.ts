import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { fixtureContents, HubRepository } from '../helpers/hub-repository.ts';
import { HubServer } from '../helpers/hub-server.ts';
import { ROOT } from '../helpers/paths.ts';
import { hubVariables } from '../helpers/use-hub.ts';

// `npm run test:hub`: shares a cache with huggingface_hub in both directions, and concurrently. Requires Python 3 with venv; the hub is local.
// HUB_PYTHON selects a Python with huggingface_hub. Exit code 1 if a check fails.

/** An old version with one lock file per blob, and the latest with file lists in the cache. */
const VERSIONS = ['0.36.2', '2.4.0'];
const ROUNDS = 20;
const REPOSITORY = 'acme/sentence';
const LARGE = {
  'onnx/model.onnx_data': Buffer.alloc(8_000_000, 'weights'),
  'model.safetensors': 'x'.repeat(1e6),
};

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-hub-'));
const hub = await HubServer.start();
const repository = hub.add(REPOSITORY, new HubRepository(fixtureContents('sentence', LARGE)));
const commit = repository.resolve('main') ?? '';
let caches = 0;

try {
  const given = process.env['HUB_PYTHON'];
  const pythons = given === undefined ? await Promise.all(VERSIONS.map(makeEnvironment)) : [given];
  for (const python of pythons) await checkVersion(python);
} finally {
  await hub.close();
  rmSync(scratch, { recursive: true, force: true });
}

async function checkVersion(python: string): Promise<void> {
  const { stdout: version } = await execa(python, [
    '-c',
    'import huggingface_hub as h; print(h.__version__)',
  ]);
  const check = async (what: string, body: () => Promise<string>): Promise<void> => {
    try {
      console.log(`ok      huggingface_hub ${version}: ${what} (${await body()})`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAILED  huggingface_hub ${version}: ${what}: ${messageOf(error)}`);
    }
  };
  await check('its cache is used offline, without a request', async () => {
    const env = newCache();
    const folder = await snapshot(python, env);
    const before = hub.requests.length;
    equal(await pull({ ...env, HF_HUB_OFFLINE: '1' }), folder);
    equal(hub.requests.length - before, 0);
    return folder.slice(-12);
  });
  await check('its cache is used online, without a download', async () => {
    const env = newCache();
    await snapshot(python, env);
    const before = hub.requests.length;
    await pull(env);
    const requests = hub.requests.slice(before).map(({ path }) => path);
    equal(
      requests.filter((path) => !path.startsWith('/api/models/')),
      [],
    );
    return `${requests.length} requests`;
  });
  await check('our cache is found offline, without a request', async () => {
    const env = newCache();
    const folder = await pull(env);
    const before = hub.requests.length;
    equal(await snapshot(python, { ...env, HF_HUB_OFFLINE: '1' }), folder);
    equal(hub.requests.length - before, 0);
    return folder.slice(-12);
  });
  await check('our cache is completed without downloading its files again', async () => {
    const env = newCache();
    await pull(env);
    const before = hub.requests.length;
    await snapshot(python, env);
    const requests = hub.requests.slice(before);
    const blobs = requests.filter(({ host, method }) => host === 'cdn' && method === 'GET');
    equal(blobs.length, 1);
    return 'only model.safetensors';
  });
  await check(`both at the same time on an empty cache, ${ROUNDS} times`, async () => {
    let files = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const env = newCache();
      // The two libraries take turns starting first.
      const both = [() => pull(env), () => snapshot(python, env)];
      const folders = await Promise.all((round % 2 === 0 ? both : both.toReversed()).map((start) => start()));
      equal(new Set(folders).size, 1);
      files += checkCache(env);
    }
    return `${files} files with the right hash`;
  });
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables with an empty cache. */
function newCache(): Variables {
  caches += 1;
  const disabled = { HF_HUB_DISABLE_XET: '1', HF_HUB_DISABLE_PROGRESS_BARS: '1' };
  return { ...hubVariables(hub, join(scratch, `cache-${caches}`)), ...disabled };
}

async function pull(env: Variables): Promise<string> {
  const args = [join(ROOT, 'cli/bin.ts'), 'pull', `hf:${REPOSITORY}`, '--quiet'];
  return (await execa(process.execPath, args, { env })).stdout;
}

async function snapshot(python: string, env: Variables): Promise<string> {
  const script = join(import.meta.dirname, 'use_cache.py');
  return (await execa(python, [script, 'snapshot', REPOSITORY], { env })).stdout;
}

/** Compares every file of a snapshot with the repository, and every blob with its name; returns the number of files. */
function checkCache({ HF_HOME = '' }: Variables): number {
  const folder = join(HF_HOME, 'hub', `models--${REPOSITORY.replace('/', '--')}`);
  const files = repository.files(commit);
  for (const { path, content } of files) {
    equal(readFileSync(join(folder, 'snapshots', commit, path)).equals(content), true, path);
  }
  const names = readdirSync(join(folder, 'blobs'));
  equal(names.sort(), [...new Set(files.map(({ oid, sha256 }) => sha256 ?? oid))].sort());
  for (const name of names) equal(hashOf(readFileSync(join(folder, 'blobs', name)), name.length), name);
  equal(readFileSync(join(folder, 'refs/main'), 'utf8'), commit);
  return files.length;
}

function hashOf(content: Buffer, length: number): string {
  if (length === 64) return createHash('sha256').update(content).digest('hex');
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

function equal(actual: unknown, expected: unknown, what = 'value'): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what} is ${one}, expected ${other}`);
}

async function makeEnvironment(version: string): Promise<string> {
  const folder = join(scratch, `venv-${version}`);
  await execa('python3', ['-m', 'venv', folder]);
  await execa(join(folder, 'bin/pip'), ['install', '--quiet', `huggingface_hub==${version}`]);
  return join(folder, 'bin/python');
}
