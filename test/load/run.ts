import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { checkAborted } from './aborted.ts';
import { checkBooks } from './books.ts';
import { checkMemory } from './memory.ts';
import { chosen } from '../helpers/chosen.ts';

// `npm run test:load [aborted] [books] [memory]`: builds the gateway, or uses the one in GATEWAY_PROGRAM, and runs slow tests with a
// provider that counts tokens. Exit code 1 if one failed.

const CHECKS = { aborted: checkAborted, books: checkBooks, memory: checkMemory };

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-load-'));
try {
  const program = process.env['GATEWAY_PROGRAM'] ?? (await buildGateway(join(scratch, 'gateway')));
  for (const [name, check] of chosen(Object.entries(CHECKS), ([key]) => key)) {
    console.log(`\n${name}`);
    const problems = await check(program);
    for (const problem of problems) console.error(`Failed: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function buildGateway(output: string): Promise<string> {
  const args = ['target', 'build', 'gateway', '--quiet', '-o', output, '--cache-dir', TEST_CACHE];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args], { stdio: 'inherit' });
  return output;
}
