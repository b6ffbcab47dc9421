// Compiles the AssemblyScript files in runtime/platform/images/pixels to pixels.wasm, which is committed. The compiler is
// downloaded by npm, because only changes to these files need it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER = 'assemblyscript@0.28.20';
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];

const folder = fileURLToPath(new URL('../runtime/platform/images/pixels', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-pixels-'));
try {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.as'))) {
    copyFileSync(join(folder, file), join(scratch, file.replace(/\.as$/, '.ts')));
  }
  const args = ['pixels.ts', '--outFile', join(folder, 'pixels.wasm'), ...OPTIONS];
  execFileSync('npm', ['exec', '--yes', `--package=${COMPILER}`, '--', 'asc', ...args], {
    cwd: scratch,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
