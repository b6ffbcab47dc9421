// Checks the import directions with the rules in dependency-cruiser.cjs.
import { spawnSync } from 'node:child_process';

const FOLDERS = ['cli', 'runtime', 'test'];
const { stdout, stderr } = spawnSync(
  'depcruise',
  ['--config', '.ci/dependency-cruiser.cjs', '--output-type', 'json', ...FOLDERS],
  { encoding: 'utf8', maxBuffer: 200_000_000, shell: process.platform === 'win32' },
);
if (!stdout) throw new Error(`depcruise printed nothing: ${stderr}`);
const { modules, summary } = JSON.parse(stdout);
const own = modules.filter(({ source }) => /^(cli|runtime)\/.*\.ts$/.test(source));
for (const { from, to, rule } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
// Without its TypeScript parser, the tool finds no imports and reports no errors.
if (own.length < 1000) console.error(`Only ${own.length} modules were seen.`);
console.log(`${own.length} modules, ${summary.violations.length} wrong imports.`);
process.exitCode = summary.violations.length > 0 || own.length < 1000 ? 1 : 0;
