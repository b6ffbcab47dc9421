import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { inNamespace, namespacesWork } from '../helpers/namespace.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import type { Answer } from '../helpers/run-process.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';
import { builtExecutable } from '../helpers/built.ts';

const folder = useTempFolder();
const canMount = namespacesWork();
const labelOf = ({ stdout, stderr }: Pick<Answer, 'stdout' | 'stderr'>): string => {
  if (stdout === '') return stderr;
  return JSON.parse(stdout).predictions[0].label;
};
const copyOf = (name: string): string => {
  const path = join(folder(), name);
  copyFileSync(builtExecutable('sentiment'), path);
  return path;
};
const INFER = ['infer', 'I love this'];

verifiesOnce('executable:moved', async () => {
  const renamed = copyOf('ein Modell – 模型.bin');
  expect(labelOf(await runExecutable(renamed, INFER))).toBe('POSITIVE');
  const link = join(folder(), 'link');
  symlinkSync(renamed, link);
  expect(labelOf(await runExecutable(link, INFER))).toBe('POSITIVE');
  const long = copyOf('x'.repeat(255));
  expect(labelOf(await runExecutable(long, INFER))).toBe('POSITIVE');
  chmodSync(folder(), 0o555);
  expect(labelOf(await runExecutable('./link', INFER, { cwd: folder() }))).toBe('POSITIVE');
  chmodSync(folder(), 0o755);
});

verifiesOnce('executable:read-only-home', async () => {
  if (!canMount) return;
  const env = homeAndTemp();
  const answer = await inNamespace(`mount -t tmpfs -o ro none "$HOME"; ${RUN}`, { env });
  expect(labelOf(answer)).toBe('POSITIVE');
  expect(readdirSync(env.TMPDIR)).toHaveLength(1);
});

verifiesOnce('executable:noexec', async () => {
  if (!canMount) return;
  const env = homeAndTemp();
  const noexec = (...places: string[]): string =>
    places.map((place) => `mount -t tmpfs -o noexec none ${place};`).join(' ');
  const some = await inNamespace(`${noexec('"$HOME"')} ${RUN}`, { env });
  expect(labelOf(some)).toBe('POSITIVE');
  const all = await inNamespace(`${noexec('"$HOME"', '"$TMPDIR"', '/var/tmp', '/dev/shm')} ${RUN}`, { env });
  expect(all.exitCode).toBe(1);
  expect(all.stderr).toMatch(/^Error: Cannot extract the native libraries: .*Set ENCODERFILE_CACHE_DIR/);
});

verifiesOnce('executable:no-network', async () => {
  if (!canMount) return;
  const env = { EXE: builtExecutable('sentiment'), ENCODERFILE_CACHE_DIR: TEST_CACHE };
  expect(labelOf(await inNamespace('exec "$EXE" infer "I love this"', { network: false, env }))).toBe(
    'POSITIVE',
  );
});

verifiesOnce('executable:first-start-twice', async () => {
  const env = { ENCODERFILE_CACHE_DIR: join(folder(), 'cache') };
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => runExecutable(builtExecutable('sentiment'), INFER, { env })),
  );
  expect(answers.map(labelOf)).toEqual(Array.from({ length: 4 }, () => 'POSITIVE'));
  expect(readdirSync(join(env.ENCODERFILE_CACHE_DIR, 'native'))).toHaveLength(1);
});

verifiesOnce('executable:private', async () => {
  const home = join(folder(), 'home');
  mkdirSync(home);
  expect(
    labelOf(await runExecutable(builtExecutable('sentiment'), INFER, { env: isolated({ HOME: home }) })),
  ).toBe('POSITIVE');
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files).toHaveLength(4);
  expect(files.filter(({ name }) => !/onnxruntime|tokenizers|^lua\.wasm$/.test(name))).toEqual([]);
});

verifiesOnce('executable:other-libraries', async () => {
  if (process.platform !== 'linux') return;
  const other = join(folder(), 'other');
  mkdirSync(other);
  // The loader would stop at this file: it is not a library.
  writeFileSync(join(other, 'libonnxruntime.so.1'), 'not a library');
  const env = { LD_LIBRARY_PATH: other };
  expect(labelOf(await runExecutable(builtExecutable('sentiment'), INFER, { env }))).toBe('POSITIVE');
});

verifiesOnce('executable:damaged-libraries', async () => {
  const env = { ENCODERFILE_CACHE_DIR: join(folder(), 'cache') };
  const run = (): Promise<Answer> => runExecutable(builtExecutable('sentiment'), INFER, { env });
  await run();
  const native = join(env.ENCODERFILE_CACHE_DIR, 'native');
  const unpacked = join(native, readdirSync(native)[0] ?? '');
  const library = join(unpacked, 'libonnxruntime.so.1');
  const size = statSync(library).size;
  truncateSync(library, 1000);
  expect(labelOf(await run())).toBe('POSITIVE');
  expect(statSync(library).size).toBe(size);
  // The main thread loads one library, the inference thread the other.
  for (const name of readdirSync(unpacked).filter((one) => /^tokenizers|^libonnxruntime/.test(one))) {
    const path = join(unpacked, name);
    const intact = readFileSync(path);
    chmodSync(path, 0o700);
    writeFileSync(path, intact.toReversed());
    expect({ name, label: labelOf(await run()) }).toEqual({ name, label: 'POSITIVE' });
    expect(readFileSync(path).equals(intact)).toBe(true);
  }
  // A copy has different timestamps, and is kept if its content is unchanged.
  const { ino, mtimeMs } = statSync(library);
  utimesSync(library, 1, 1);
  expect(labelOf(await run())).toBe('POSITIVE');
  expect(statSync(library)).toMatchObject({ ino, mtimeMs });
  chmodSync(unpacked, 0o777);
  expect(labelOf(await run())).toBe('POSITIVE');
  expect(statSync(unpacked).mode & 0o777).toBe(0o700);

  chmodSync(native, 0o777);
  const { exitCode, stderr } = await run();
  expect(exitCode).toBe(1);
  expect(stderr).toContain('belongs to another user, or is writable by everyone');
});

verifiesOnce('executable:stdout', async () => {
  const env = { NODE_OPTIONS: '--no-such-option', NODE_DEBUG: 'worker', FORCE_COLOR: '1' };
  const { exitCode, stdout } = await runExecutable(builtExecutable('sentiment'), INFER, { env });
  expect(exitCode).toBe(0);
  expect(Object.keys(JSON.parse(stdout))).toEqual(['predictions', 'metadata']);
});

const RUN = 'exec "$EXE" infer "I love this"';

/** A home folder and a folder for temporary files for this test only, as mount points. */
function homeAndTemp(): Record<string, string | undefined> & { readonly TMPDIR: string } {
  const [home, temp] = [join(folder(), 'home'), join(folder(), 'tmp')];
  for (const path of [home, temp]) mkdirSync(path);
  return { ...isolated({ HOME: home, EXE: builtExecutable('sentiment') }), TMPDIR: temp };
}

function isolated(env: Record<string, string>): Record<string, string | undefined> {
  return {
    ...env,
    ENCODERFILE_CACHE_DIR: undefined,
    XDG_CACHE_HOME: undefined,
    XDG_RUNTIME_DIR: undefined,
    TMPDIR: undefined,
  };
}
