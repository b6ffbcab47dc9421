// Writes everything that is generated and committed. With --check it writes nothing that stays and fails on a difference.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
const run = (tool, ...args) =>
  execFileSync(tool, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });

const GENERATED = {
  'runtime/gen/onnx/v1/onnx_pb.ts': 'runtime/gen',
};

if (!check) {
  run('buf', 'generate');
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-generate-'));
  try {
    run('buf', 'generate', '--output', scratch);
    const stale = Object.keys(GENERATED).filter(
      (file) => readFileSync(join(cwd, file), 'utf8') !== readFileSync(join(scratch, file), 'utf8'),
    );
    if (stale.length > 0) {
      console.error(`Not up to date: ${stale.join(', ')}. Run \`npm run generate\` and commit the result.`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
