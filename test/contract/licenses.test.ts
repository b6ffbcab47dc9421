import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import type { Program } from '#serve/cli/command.ts';
import { encoderProgram } from '#encoder/program.ts';
import { gatewayProgram } from '#gateway/program.ts';
import { managerProgram } from '#manager/program.ts';
import { builtExecutable, builtProgram } from '../helpers/built.ts';
import { ROOT } from '../helpers/paths.ts';
import { runProcess } from '../helpers/run-process.ts';
import { runHere } from './command-arms.ts';
import { verifiesOnce } from './verifies.ts';

const SOURCES = {
  encoder: ['runtime/targets/encoder/main.ts', 'runtime/targets/encoder/engine/worker.ts'],
  manager: ['runtime/targets/manager/main.ts'],
  gateway: ['runtime/targets/gateway/main.ts'],
};
const read = (path: string): string =>
  readFileSync(resolve(ROOT, path), 'utf8').replaceAll('\r\n', '\n').trim();

/** Name and version of every package in a bundle, except our own code. */
async function packagesIn(entryPoints: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    bundle: true,
    write: false,
    outdir: 'out',
    platform: 'node',
    format: 'cjs',
    metafile: true,
    logLevel: 'silent',
    define: { 'import.meta.url': '""' },
  });
  const folders = Object.keys(metafile.inputs).flatMap((path) => {
    const end = path.lastIndexOf('node_modules/') + 'node_modules/'.length;
    const [first = '', second = ''] = path.slice(end).split('/');
    const name = first.startsWith('@') ? `${first}/${second}` : first;
    return path.includes('node_modules/') ? [path.slice(0, end) + name] : [];
  });
  return [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(read(`${folder}/package.json`)) as Record<string, string>;
    return `${name} ${version}`;
  });
}

verifiesOnce('executable:licenses', async () => {
  const files = {
    encoder: builtExecutable('sentiment'),
    manager: builtProgram('manager'),
    gateway: builtProgram('gateway'),
  };
  for (const program of ['encoder', 'manager', 'gateway'] as const) {
    const { exitCode, stdout, stderr } = await runProcess(files[program], ['--licenses'], { cwd: '/' });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const packages = await packagesIn(SOURCES[program]);
    expect(packages.length).toBeGreaterThan(20);
    expect(packages.filter((name) => !stdout.includes(`\n${name} (`))).toEqual([]);
    expect(stdout.includes(read('LICENSE'))).toBe(true);
    expect(stdout.includes(read(join(process.execPath, '../../LICENSE')))).toBe(true);
    expect(await runProcess(files[program], ['licenses'])).toMatchObject({ exitCode: 0, stdout });
  }
});

test('an encoder contains the notices of its native libraries', async () => {
  const { stdout } = await runProcess(builtExecutable('sentiment'), ['--licenses']);
  const texts = ['LICENSE', 'ThirdPartyNotices.txt'].map((file) =>
    read(`templates/notices/onnxruntime-node@1.30.0/${file}`),
  );
  expect(texts.map((text) => stdout.includes(text))).toEqual([true, true]);
  // The library contains the names of the source files in its crates.
  const library = readFileSync(join(ROOT, 'node_modules/tokenizers/tokenizers.linux-x64-gnu.node'), 'latin1');
  const crates = [...library.matchAll(/crates\.io-[0-9a-f]+\/([\w-]+?)-(\d+\.\d+\.\d+)\//g)];
  expect(crates.length).toBeGreaterThan(25);
  const missing = crates
    .map(([, name, version]) => `\n${name} ${version} (`)
    .filter((title) => !stdout.includes(title));
  expect(missing).toEqual([]);
  // Google's notice appears only as a comment in a file of @bufbuild/protobuf.
  const holders = [
    'Lua.org, PUC-Rio',
    'Rich Felker',
    'Emscripten authors',
    'K.Kosako',
    'Copyright 2008 Google Inc.  All rights reserved.',
  ];
  expect(holders.filter((holder) => !stdout.includes(holder))).toEqual([]);
});

test.each<[string, Program]>([
  ['encoder', encoderProgram('', 'model')],
  ['manager', managerProgram],
  ['gateway', gatewayProgram],
])('%s, when run from source, prints the command that shows notices', async (target, program) => {
  expect(await runHere(program, ['--licenses'])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'Error: This program runs from source; only executables contain the licenses of the software they bundle. ' +
      `Run \`encoderfile licenses ${target}\`.\n`,
  });
});
