// Writes everything that is generated and committed. With --check it writes nothing that stays and fails on a difference.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { schemaText } from '../cli/services/schema.ts';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
const run = (tool, ...args) =>
  execFileSync(tool, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });

const GENERATED = {
  'runtime/gen/onnx/v1/onnx_pb.ts': 'runtime/gen',
};

const SCHEMA = 'docs/config.schema.json';
const schema = `${schemaText()}\n`;

if (!check) {
  run('buf', 'generate');
  writeFileSync(join(cwd, SCHEMA), schema);
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-generate-'));
  try {
    run('buf', 'generate', '--output', scratch);
    const stale = Object.keys(GENERATED).filter(
      (file) => readFileSync(join(cwd, file), 'utf8') !== readFileSync(join(scratch, file), 'utf8'),
    );
    if (!existsSync(join(cwd, SCHEMA)) || readFileSync(join(cwd, SCHEMA), 'utf8') !== schema)
      stale.push(SCHEMA);
    if (stale.length > 0) {
      console.error(`Not up to date: ${stale.join(', ')}. Run \`npm run generate\` and commit the result.`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
