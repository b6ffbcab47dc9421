import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { inNamespace, namespacesWork } from '../helpers/namespace.ts';
import { type OciImage, readOciImage, unpackOciImage } from '../helpers/oci-layout.ts';
import { builtCli } from '../helpers/built.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifiesOnce } from './verifies.ts';

// Without --base-image, images can be built only on Linux, which has the libraries.
const HAS_LIBRARIES = process.platform === 'linux';
if (!HAS_LIBRARIES) console.warn('SKIPPED: OCI images, because this is not Linux.');

const folder = useTempFolder();
let canMount = false;
beforeAll(() => {
  canMount = namespacesWork();
});

const args = (config: string, ...more: string[]): string[] => [
  'build',
  '-f',
  config,
  '--cache-dir',
  TEST_CACHE,
  '--format',
  'oci',
  ...more,
];
const build = (config: string, ...more: string[]): Promise<Answer> =>
  runCli(args(config, ...more), { cwd: folder(), env: { SOURCE_DATE_EPOCH: undefined } });

verifiesOnce('build:oci', async () => {
  if (!HAS_LIBRARIES) return;
  const config = copyModel(folder(), 'sentiment', { name: 'Org/Model', version: '1.2', license: 'mit' });
  const built = await build(config, '--json');
  const layout = join(folder(), 'Org-Model.oci');
  expect(built.exitCode, built.stderr).toBe(0);
  const image = readOciImage(layout);
  const { size } = filesOf(layout);
  expect(JSON.parse(built.stdout)).toMatchObject({
    kind: 'oci',
    path: layout,
    bytes: size,
    digest: image.digest,
    image: 'localhost/org/model:1.2',
  });
  expect(image.annotations).toMatchObject({ 'org.opencontainers.image.ref.name': '1.2' });
  expect(image.config).toMatchObject({
    os: 'linux',
    config: {
      Entrypoint: ['/app/model.encoder'],
      Cmd: ['serve'],
      User: '65532:65532',
      Labels: { 'org.opencontainers.image.title': 'Org/Model', 'org.opencontainers.image.licenses': 'mit' },
    },
  });
  expect(image.config).not.toHaveProperty('created');
  await runsInside(layout, image);

  // An earlier image of the same config is replaced, and no other files are left behind.
  writeConfig(folder(), { name: 'Org/Model', version: '1.3' });
  expect(await build(config, '--quiet')).toMatchObject({ exitCode: 0, stdout: '' });
  expect(readOciImage(layout).annotations).toMatchObject({ 'org.opencontainers.image.ref.name': '1.3' });
  const names = ['Org-Model.oci', 'encoderfile.yml', 'model', 'root'];
  expect(readdirSync(folder()).toSorted()).toEqual(names);
});

verifiesOnce('build:oci-archive', async () => {
  if (!HAS_LIBRARIES) return;
  const config = copyModel(folder());
  const path = join(folder(), 'model.tar');
  const built = await build(config, '-o', path, '--json');
  expect(built.exitCode, built.stderr).toBe(0);
  const first = readFileSync(path);
  const layout = join(folder(), 'layout');
  mkdirSync(layout);
  execFileSync('tar', ['-xf', path, '-C', layout]);
  const { digest } = readOciImage(layout);
  expect(JSON.parse(built.stdout)).toMatchObject({ kind: 'oci', path, bytes: first.length, digest });
  // The second build replaces the archive of the first one.
  expect((await build(config, '--quiet', '-o', path)).exitCode).toBe(0);
  expect(readFileSync(path).equals(first)).toBe(true);
  expect(readdirSync(folder()).toSorted()).toEqual(['encoderfile.yml', 'layout', 'model', 'model.tar']);
});

function filesOf(layout: string): { size: number } {
  const names = ['oci-layout', 'index.json', ...readdirSync(join(layout, 'blobs/sha256')).map(blobPath)];
  return { size: names.reduce((sum, name) => sum + statSync(join(layout, name)).size, 0) };
}

const blobPath = (name: string): string => `blobs/sha256/${name}`;

/** Runs the model with only the files in its image, and a tmpfs at /tmp. */
async function runsInside(layout: string, image: OciImage): Promise<void> {
  const root = join(folder(), 'root');
  unpackOciImage(layout, image, root);
  const { mode } = statSync(join(root, 'app/model.encoder'));
  expect(mode & 0o7777).toBe(0o755);
  expect(statSync(join(root, 'tmp')).mode & 0o7777).toBe(0o1777);
  if (!canMount) return;
  const { exitCode, stdout, stderr } = await inNamespace(
    `mount --bind ${root} ${root}; mount -o remount,ro,bind ${root}
     mount --rbind /proc ${root}/proc; mount --rbind /dev ${root}/dev; mount -t tmpfs none ${root}/tmp
     exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot ${root} /app/model.encoder infer 'I love this'`,
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('POSITIVE');
}

verifiesOnce('build:oci-base-image', async () => {
  const config = copyModel(folder());
  const base = writeBaseLayout();
  const answer = await build(config, '--quiet', '--base-image', base, '--platform', 'linux-x64');
  expect(answer).toMatchObject({ exitCode: 0, stderr: '' });
  const layout = join(folder(), 'model.oci');
  const image = readOciImage(layout);
  expect(image.layers).toHaveLength(2);
  expect(image.config).toMatchObject({
    architecture: 'amd64',
    config: { User: 'app', Env: ['PATH=/bin:/app', 'LANG=C'], Entrypoint: ['/app/model.encoder'] },
  });
  const root = join(folder(), 'root');
  unpackOciImage(layout, image, root);
  expect(readFileSync(join(root, 'etc/base'), 'utf8')).toBe('base');
  expect(existsSync(join(root, 'app/model.encoder'))).toBe(true);
});

/** Writes an OCI layout with a single-file image whose programs differ from those of the build. */
function writeBaseLayout(): string {
  const layout = join(folder(), 'base');
  const files = join(folder(), 'files');
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  mkdirSync(join(files, 'etc'), { recursive: true });
  writeFileSync(join(files, 'etc/base'), 'base');
  const tar = execFileSync('tar', ['-cf', '-', '-C', files, '.']);
  const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const blob = (bytes: Uint8Array, kind: string): object => {
    writeFileSync(join(layout, blobPath(hash(bytes))), bytes);
    return {
      mediaType: `application/vnd.oci.image.${kind}`,
      digest: `sha256:${hash(bytes)}`,
      size: bytes.length,
    };
  };
  const json = (value: unknown, kind: string): object => blob(Buffer.from(JSON.stringify(value)), kind);
  const layer = blob(execFileSync('gzip', ['-n'], { input: tar }), 'layer.v1.tar+gzip');
  const config = {
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: [`sha256:${hash(tar)}`] },
    config: { User: 'app', Env: ['PATH=/bin', 'LANG=C'] },
  };
  const manifest = { schemaVersion: 2, config: json(config, 'config.v1+json'), layers: [layer] };
  const manifests = [json(manifest, 'manifest.v1+json')];
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  return layout;
}

verifiesOnce('build:oci-refusals', async () => {
  const config = copyModel(folder());
  const base = writeBaseLayout();
  writeFileSync(join(folder(), 'file.tar'), 'mine');
  mkdirSync(join(folder(), 'mine.oci'));
  writeFileSync(join(folder(), 'mine.oci', 'index.json'), '{}');
  mkdirSync(join(folder(), 'folder'));
  writeFileSync(join(folder(), 'folder', 'notes.txt'), 'mine');
  const x64 = ['--platform', 'linux-x64', '--base-image', base];
  const cases: [more: readonly string[], message: RegExp][] = [
    [['--no-build'], /--format oci conflicts with --no-build, /],
    [['--platform', 'linux-x64', '--base-image', 'model'], /model is not an OCI image layout /],
    [[...x64, '-o', base, '--force'], /Cannot write \S+: it overlaps with the base image/],
    [[...x64, '-o', 'file.tar'], /Cannot write file\.tar: .* is not an image that encoderfile wrote/],
    [[...x64, '-o', 'mine.oci'], /Cannot write mine\.oci: .* is not an image that encoderfile wrote/],
    [[...x64, '-o', 'folder', '--force'], /Cannot write folder: it contains other files \(notes\.txt\)/],
    [[...x64, '-o', 'file.tar/image'], /Cannot write under .*file\.tar: it is a file/],
  ];
  for (const [more, message] of cases) expectRefusal(await build(config, ...more), message);
  const unknown = await runCli(['build', '-f', config, '--format', 'docker'], { cwd: folder() });
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unknown.stderr).toMatch(
    /^Error: Expected --format=docker to be one of: executable, oci\. See [^\n]+$/,
  );
  expect(readFileSync(join(folder(), 'file.tar'), 'utf8')).toBe('mine');

  // Damage is detected only while the layers are copied.
  const manifest = readOciImage(base);
  const layer = openSync(join(base, 'blobs', manifest.layers[0]?.digest.replace(':', '/') ?? ''), 'r+');
  writeSync(layer, 'x', 20);
  closeSync(layer);
  const damaged = await build(config, '--quiet', ...x64);
  expect(damaged).toMatchObject({ exitCode: 1, stdout: '' });
  expect(damaged.stderr).toMatch(/^Error: The base image \S+ is corrupted: [^\n]+$/);
  expect(readdirSync(folder()).filter((name) => /model\.oci|\.tmp$/.test(name))).toEqual([]);
});

verifiesOnce('build:oci-full-disk', async () => {
  if (!canMount || !HAS_LIBRARIES) return;
  const config = copyModel(folder());
  const disk = join(folder(), 'disk');
  mkdirSync(disk);
  const command = [process.execPath, builtCli(), ...args(config, '--quiet')].join(' ');
  const full = await inNamespace(
    `mount -t tmpfs -o size=20m none ${disk}; ${command} -o ${disk}/model.oci || code=$?; ls -A ${disk}; exit $code`,
  );
  expect(full).toMatchObject({ exitCode: 1, stdout: '' });
  expect(full.stderr).toMatch(/^Error: Cannot write \S+\/disk\/model\.oci: the disk is full\.[^\n]+$/);
});

function expectRefusal({ exitCode, stdout, stderr }: Answer, message: RegExp): void {
  expect(stderr).toMatch(message);
  expect(stderr.split('\n')).toHaveLength(1);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
}
