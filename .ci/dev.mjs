// Runs a program from source and restarts it when one of its files changes: `npm run dev -- gateway serve`. Flags before the program name
// are passed to Node, for example --inspect.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const PROGRAMS = {
  encoder: { entry: 'runtime/targets/encoder/main.ts', needsModel: true },
  gateway: { entry: 'runtime/targets/gateway/main.ts', needsModel: false },
  manager: { entry: 'runtime/targets/manager/main.ts', needsModel: false },
};
const USAGE = `Usage: npm run dev -- [NODE FLAG]... PROGRAM ARGUMENTS...
  npm run dev -- gateway serve
  npm run dev -- manager daemon --dev
  npm run dev -- encoder sentiment serve      (a folder of fixtures/models)
  npm run dev -- --inspect gateway serve      (then open chrome://inspect)`;

const given = process.argv.slice(2);
const at = given.findIndex((word) => !word.startsWith('-'));
const nodeFlags = given.slice(0, Math.max(at, 0));
const [name = '', ...rest] = at === -1 ? [] : given.slice(at);
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : fail(`Unknown program "${name}".`);
const args = program.needsModel ? [modelFolder(rest[0]), ...rest.slice(1)] : rest;

const child = spawn(process.execPath, ['--watch', ...nodeFlags, join(root, program.entry), ...args], {
  // Path arguments are relative to the caller's directory, not to the root that npm changes to.
  cwd: process.env.INIT_CWD ?? process.cwd(),
  stdio: 'inherit',
});
// Wait for the program to shut down. A terminal sends SIGINT to both processes.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (status) => process.exit(status ?? 1));

/** The folder that the program reads instead of an executable, built from a fixture. */
function modelFolder(model = '') {
  const config = join(root, 'fixtures/models', model, 'encoderfile.yml');
  if (model === '' || !existsSync(config)) fail(`There is no model fixtures/models/${model}.`);
  const output = join(root, 'node_modules/.cache/encoderfile-dev', `${model}.encoder`);
  const build = ['build', '-f', config, '-o', output, '--no-build', '--quiet'];
  const { status } = spawnSync(process.execPath, [join(root, 'cli/bin.ts'), ...build], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  return output.replace(/\.encoder$/, '.assets');
}

function fail(reason) {
  console.error(`Error: ${reason}\n\n${USAGE}`);
  return process.exit(2);
}
