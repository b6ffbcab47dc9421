// Compiles the AssemblyScript files in runtime/platform/images/pixels to pixels.wasm, which is committed. npm downloads the
// compiler when this runs, because only changes to these files need it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER = 'assemblyscript@0.28.20';
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];

const folder = fileURLToPath(new URL('../runtime/platform/images/pixels', import.meta.url));

const sourceFiles = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.as'))
    .sort();

/** The hash of the files from which pixels.wasm is compiled, which it contains in the section `sources`. */
export function sourcesHash() {
  const hash = createHash('sha256').update(`${COMPILER} ${OPTIONS.join(' ')}\n`);
  // Git can convert the ends of lines.
  for (const name of sourceFiles())
    hash.update(readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n'));
  return hash.digest('hex');
}

/** A section that does not change the program: its kind, size, and name. Both sizes are below 128. */
function section(name, content) {
  const body = Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.from(content)]);
  return Buffer.concat([Buffer.of(0, body.length), body]);
}

function compile() {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-pixels-'));
  const compiled = join(scratch, 'pixels.wasm');
  try {
    for (const name of sourceFiles())
      copyFileSync(join(folder, name), join(scratch, name.replace(/\.as$/, '.ts')));
    const asc = ['exec', '--yes', `--package=${COMPILER}`, '--', 'asc', 'pixels.ts', '--outFile', compiled];
    execFileSync('npm', [...asc, ...OPTIONS], {
      cwd: scratch,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    const bytes = Buffer.concat([readFileSync(compiled), section('sources', sourcesHash())]);
    writeFileSync(join(folder, 'pixels.wasm'), bytes);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) compile();
