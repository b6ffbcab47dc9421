import {
  createReadStream,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownVersion } from '#cli/adapters/own-files.ts';
import { hostPlatform } from '#cli/packaging/plan.ts';
import { wheelTag } from '#cli/release/python/metadata.ts';
import { shortName } from '#contract/platforms.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../../helpers/paths.ts';
import { type Answer, runProcess } from '../../helpers/run-process.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const PLATFORM = shortName(hostPlatform({ os: process.platform, cpu: process.arch }));
const EXECUTABLE = `encoderfile-${PLATFORM}`;
const VERSION = ownVersion();
const WHEEL = `encoderfile-${VERSION}-${wheelTag(hostPlatform({ os: process.platform, cpu: process.arch }))}.whl`;
/** Linux is the only platform on which these tests run. */
const REGISTRIES = [
  'asdf-encoderfile/bin/download',
  'asdf-encoderfile/bin/install',
  'asdf-encoderfile/bin/list-all',
  'aur/encoderfile-bin/.SRCINFO',
  'aur/encoderfile-bin/PKGBUILD',
  'homebrew-tap/Formula/encoderfile.rb',
  'mise/registry/encoderfile.toml',
  'nixpkgs/pkgs/by-name/en/encoderfile/package.nix',
  'staged-recipes/recipes/encoderfile/recipe.yaml',
].map((path) => `registries/${path}`);
const folder = useTempFolder();
let out = '';
let server: Server;
let url = '';

/** Runs the release script from source. */
const release = (...args: string[]): Promise<Answer> =>
  runProcess(process.execPath, [join(ROOT, 'cli/release/main.ts'), ...args, '--cache-dir', TEST_CACHE]);

beforeAll(async () => {
  const parent = mkdtempSync(join(tmpdir(), 'encoderfile-release-'));
  out = join(parent, 'release');
  const answer = await release('--out', out, '--platform', PLATFORM, '--program', 'encoderfile');
  if (answer.exitCode !== 0) throw new Error(answer.stderr);
  server = createServer((request, response) => {
    const file = join(out, new URL(request.url ?? '/', 'http://localhost').pathname);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) createReadStream(file).pipe(response);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
});

afterAll(() => {
  server.close();
  rmSync(join(out, '..'), { recursive: true, force: true });
});

const install = (...args: string[]): Promise<Answer> =>
  runProcess('sh', [join(out, 'install.sh'), '--url', `${url}/bin/`, ...args], { env: { HOME: folder() } });

describe('a release', () => {
  test('contains exactly the expected files, with a checksum for each', async () => {
    const names = readdirSync(out, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => statSync(join(out, name)).isFile());
    expect(files.sort()).toEqual(
      [
        'NOTICES-encoderfile.txt',
        'SHA256SUMS',
        `bin/${EXECUTABLE}`,
        'encoderfile.cdx.json',
        ...REGISTRIES,
        'bin/SHA256SUMS',
        'install.sh',
        `npm/encoderfile-${VERSION}.tgz`,
        `npm/encoderfile-encoderfile-${PLATFORM}-${VERSION}.tgz`,
        `python/encoderfile-${VERSION}.tar.gz`,
        `python/${WHEEL}`,
      ].sort(),
    );
    const checked = await runProcess('sha256sum', ['--strict', '-c', 'SHA256SUMS'], { cwd: out });
    expect(checked).toMatchObject({ exitCode: 0 });
    expect(checked.stdout.split('\n')).toHaveLength(files.length - 1);
  });

  test('contains files for registries with the hashes of the executable and its notices', () => {
    const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
    const hashOf = (name: string): string | undefined =>
      new RegExp(`^(\\w{64})  ${name}$`, 'm').exec(sums)?.[1];
    const text = (path: string): string => readFileSync(join(out, 'registries', path), 'utf8');
    expect(text('homebrew-tap/Formula/encoderfile.rb')).toContain(`sha256 "${hashOf(`bin/${EXECUTABLE}`)}"`);
    const recipe = text('staged-recipes/recipes/encoderfile/recipe.yaml');
    expect(recipe).toContain(`sha256: ${hashOf(`bin/${EXECUTABLE}`)}\n`);
    expect(recipe).toContain(`sha256: ${hashOf('NOTICES-encoderfile.txt')}\n`);
    expect(statSync(join(out, 'registries/asdf-encoderfile/bin/download')).mode & 0o777).toBe(0o755);
  });

  test('is not written into a non-empty folder', async () => {
    expect(await release('--out', ROOT, '--platform', PLATFORM)).toMatchObject({
      exitCode: 1,
      stderr: `Error: The folder ${ROOT.replace(/\/$/, '')} is not empty. Choose a new folder.`,
    });
  });

  test('reports invalid arguments', async () => {
    expect((await release()).stderr).toMatch(/^Error: --out is missing\./);
    expect((await release('--out', 'x', '--platform', 'amiga')).stderr).toMatch(
      /^Error: Unknown platform "amiga"\. Platforms: /,
    );
    for (const url of [
      'ftp://files.example',
      'https://files.example/$(id)',
      "https://files.example/'",
      'files',
    ])
      expect((await release('--out', 'x', '--url', url)).stderr).toContain(
        `Error: Invalid URL ${url}. --url must`,
      );
    const unknown = await release('--out', 'x', '--program', 'emacs');
    expect(unknown).toMatchObject({ exitCode: 2 });
    expect(unknown.stderr).toMatch(
      /^Error: Unknown program emacs\. Programs: encoderfile, mcp-manager, gateway\./,
    );
  });
});

describe('install.sh', () => {
  test('installs an executable that runs', async () => {
    const answer = await install('encoderfile');
    const file = join(folder(), '.local/bin/encoderfile');
    expect(answer).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`Installed ${file}`) });
    expect((await runProcess(file, ['version'])).stdout).toBe(`encoderfile ${VERSION}`);
    expect(globSync('{.,}*', { cwd: join(folder(), '.local/bin') })).toEqual(['encoderfile']);
  });

  test('rejects invalid installations, and leaves no files behind', async () => {
    const dir = join(folder(), 'bin');
    const gateway = await install('--dir', dir, 'gateway');
    expect(gateway).toMatchObject({
      exitCode: 1,
      stderr: `Error: Version ${VERSION} has no gateway-${PLATFORM}.`,
    });
    const elsewhere = await install('--url', `${url}/nothing`, '--dir', dir);
    expect(elsewhere.exitCode).toBe(1);
    expect(elsewhere.stderr).toContain(`Error: Cannot download ${url}/nothing/${EXECUTABLE}.`);
    const unknown = await install('emacs');
    expect(unknown.stderr).toBe(
      'Error: Unknown argument emacs. Programs: encoderfile, mcp-manager, gateway.',
    );
    expect(globSync('{.,}*', { cwd: dir })).toEqual([]);
  });

  test('discards a download that is not from the release or does not run', async () => {
    const script = join(out, 'install.sh');
    const right = readFileSync(script, 'utf8');
    const dir = join(folder(), 'bin');
    const broken = join(out, 'bin', 'broken');
    writeFileSync(broken, 'not a program');
    const hash = createHash('sha256').update('not a program').digest('hex');
    try {
      writeFileSync(script, right.replace(/^\w{64}(?= {2})/m, '0'.repeat(64)));
      const other = await install('--dir', dir);
      expect(other.exitCode).toBe(1);
      expect(other.stderr).toMatch(
        /Error: The download of encoderfile was discarded: its SHA-256 is \w{64}, /,
      );
      writeFileSync(script, right.replace(/^\w{64}(?= {2})/m, hash).replace('"$url/$name"', '"$url/broken"'));
      const unfit = await install('--dir', dir);
      expect(unfit.exitCode).toBe(1);
      expect(unfit.stderr).toContain('Error: encoderfile cannot run on this system.');
      expect(globSync('{.,}*', { cwd: dir })).toEqual([]);
    } finally {
      writeFileSync(script, right);
      rmSync(broken);
    }
  });

  test('installs into a folder whose name contains special characters, and does not replace a folder named encoderfile', async () => {
    const dir = join(folder(), 'a b\\c');
    expect(await install('--dir', dir)).toMatchObject({ exitCode: 0 });
    expect((await runProcess(join(dir, 'encoderfile'), ['version'])).exitCode).toBe(0);
    mkdirSync(join(folder(), 'other/encoderfile'), { recursive: true });
    const taken = await install('--dir', join(folder(), 'other'));
    expect(taken.exitCode).toBe(1);
    expect(taken.stderr).toContain('it is a folder. Pass --dir FOLDER.');
  });
});

test('the npm packages install without scripts and network access, and run', async () => {
  const packages = globSync(join(out, 'npm/*.tgz')).sort();
  writeFileSync(join(folder(), 'package.json'), '{"name": "project", "private": true}');
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const env = { HOME: folder(), npm_config_cache: join(folder(), 'npm-cache') };
  const installed = await runProcess('npm', ['install', ...flags, ...packages], { cwd: folder(), env });
  expect(installed).toMatchObject({ exitCode: 0 });
  const bin = join(folder(), 'node_modules/.bin/encoderfile');
  expect(await runProcess(bin, ['version'])).toMatchObject({ exitCode: 0, stdout: `encoderfile ${VERSION}` });
  expect((await runProcess(bin, ['build', '-f', 'missing.yml'])).exitCode).toBe(1);
  // As a library, the package builds and opens a model with the executable of the other package.
  writeFileSync(join(folder(), 'library.mjs'), libraryScript(join(FIXTURES, 'models/sentiment')));
  const library = (): Promise<Answer> =>
    runProcess(process.execPath, ['library.mjs'], {
      cwd: folder(),
      env: { ...env, ENCODERFILE_CACHE_DIR: join(folder(), 'libraries') },
    });
  expect(await library()).toEqual({ exitCode: 0, stdout: 'POSITIVE', stderr: '' });
  rmSync(join(folder(), 'node_modules/@encoderfile'), { recursive: true });
  const missing = await runProcess(bin, ['version']);
  expect(missing).toMatchObject({ exitCode: 1 });
  expect(missing.stderr).toContain(
    `Error: The package @encoderfile/encoderfile-${PLATFORM} is not installed.`,
  );
  rmSync(join(folder(), 'libraries'), { recursive: true });
  expect(await library()).toMatchObject({
    exitCode: 1,
    stderr: `The package @encoderfile/encoderfile-${PLATFORM} is not installed. Install again without --omit=optional or --no-optional, on the platform that runs it.`,
  });
});

const libraryScript = (model: string): string => `import { open } from 'encoderfile';
try {
  const model = await open(${JSON.stringify(model)}, { type: 'sequence_classification' });
  const [{ predicted_label: label }] = await model.predict(['I love this']);
  console.log(label);
  await model.close();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}`;

test('the wheel installs without network access and runs, and the source distribution reports the platforms', async (context) => {
  const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--no-index'];
  if ((await runProcess('python3', ['-m', 'pip', '--version']).catch(() => undefined))?.exitCode !== 0)
    context.skip('Skipped: the test of the wheel requires Python with pip.');
  const site = join(folder(), 'site');
  const env = { HOME: folder(), PYTHONPATH: site };
  const install = async (file: string): Promise<Answer> =>
    await runProcess('python3', [...pip, '--target', site, join(out, 'python', file)], { env });
  expect(await install(WHEEL)).toMatchObject({ exitCode: 0 });
  const version = `encoderfile ${VERSION}`;
  expect((await runProcess(join(site, 'bin/encoderfile'), ['version'])).stdout).toBe(version);
  expect((await runProcess('python3', ['-m', 'encoderfile', 'version'], { env })).stdout).toBe(version);
  const refused = await install(`encoderfile-${VERSION}.tar.gz`);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr + refused.stdout).toContain(
    `Error: encoderfile ${VERSION} cannot be built from this source distribution`,
  );
});
