import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '../../../../runtime/core/json/json-text.ts';
import { installPython } from '../../../helpers/install-python.ts';
import { FIXTURES, ROOT } from '../../../helpers/paths.ts';
import { startExecutable } from '../../../helpers/start-executable.ts';
import { stopAll, urlOf } from '../started.ts';

// `npm run test:clients:lumigator`: starts a gateway on loopback without a master key, because this client sends no key, and calls it with
// lumigator-sdk. Requires Python 3.11 with venv.

const HERE = import.meta.dirname;
const python = await installPython(
  join(HERE, 'requirements.txt'),
  join(HERE, '..', 'node_modules', '.venvs', 'lumigator'),
);
const folder = mkdtempSync(join(tmpdir(), 'gateway-lumigator-'));
const provider = startExecutable(process.execPath, [join(FIXTURES, 'providers', 'openai.mjs')]);
const config = join(folder, 'gateway.json');
const providers = { openai: { api_base: await urlOf(provider), api_key: 'any' } };
writeFileSync(config, JSON.stringify({ port: 0, data_dir: folder, providers }));
const main = join(ROOT, 'runtime/targets/gateway/main.ts');
const gateway = startExecutable(process.execPath, [main, 'serve', '-c', config, '--no-watch'], {});
try {
  const said = await gateway.said(/http:\/\/127\.0\.0\.1:\d+/);
  const [, host = ''] = /http:\/\/(127\.0\.0\.1:\d+)/.exec(said) ?? [];
  const { stdout } = await execa(python, [join(HERE, 'checks.py'), host], { stderr: 'inherit' });
  const checks = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => parseJsonText(line) as { readonly name: string; readonly problem: string | null });
  for (const { name, problem } of checks)
    console.log(problem === null ? `yes  ${name}` : `no   ${name}: ${problem}`);
  const failed = checks.filter(({ problem }) => problem !== null);
  console.log(`${checks.length - failed.length} of ${checks.length}`);
  process.exitCode = failed.length === 0 && checks.length > 10 ? 0 : 1;
} finally {
  await stopAll([gateway, provider]);
  rmSync(folder, { recursive: true, force: true });
}
