// Runs every check that needs no test run, and continues after a failure, so that one run shows all problems.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['.ci', 'cli', 'runtime', 'site', 'test'];
const FORMATTED = [...SOURCES, 'package.json', 'tsconfig.json', '!runtime/gen'];
const fix = process.argv.includes('--fix');
const CHECKS = {
  format: ['oxfmt', '-c', '.ci/oxfmtrc.json', ...(fix ? [] : ['--check']), ...FORMATTED],
  lint: [
    'oxlint',
    '-c',
    '.ci/oxlintrc.json',
    '--type-aware',
    '--deny-warnings',
    '--ignore-pattern',
    'runtime/gen/**',
    ...SOURCES,
  ],
  types: ['tsc', '--noEmit'],
  'types of pages': ['tsc', '-p', 'tsconfig.pages.json'],
  unused: ['knip', '-c', '.ci/knip.json'],
  'unused outside tests': ['knip', '-c', '.ci/knip.json', '--production', '--strict'],
  architecture: ['node', '.ci/architecture.mjs'],
  changelog: ['node', '.ci/changelog.mjs'],
  proto: ['buf', 'lint', 'proto'],
  generated: ['node', '.ci/generate.mjs', '--check'],
};

const failed = Object.entries(CHECKS).filter(([name, [tool, ...args]]) => {
  console.log(`\n== ${name}: ${tool} ${args.join(' ')}`);
  return spawnSync(tool, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' }).status !== 0;
});
console.log(
  failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.map(([name]) => name).join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
