import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { FIXTURES, ROOT, TEST_CACHE } from '../../helpers/paths.ts';

/** The executables whose pages are tested. */
export interface Programs {
  readonly encoder: string;
  readonly gateway: string;
  readonly manager: string;
}

/** Builds the executables, or uses those of an earlier run in the folder PAGE_PROGRAMS. */
export async function buildPrograms(scratch: string): Promise<Programs> {
  const built = process.env['PAGE_PROGRAMS'];
  const folder = built ?? join(scratch, 'programs');
  const programs = {
    encoder: join(folder, 'sentiment.encoder'),
    gateway: join(folder, 'gateway'),
    manager: join(folder, 'mcp-manager'),
  };
  if (built !== undefined) return programs;
  mkdirSync(folder);
  await build(programs.encoder, 'build', '-f', join(FIXTURES, 'models/sentiment/encoderfile.yml'));
  await build(programs.gateway, 'target', 'build', 'gateway');
  await build(programs.manager, 'target', 'build', 'manager');
  return programs;
}

async function build(output: string, ...args: string[]): Promise<void> {
  const options = ['--quiet', '-o', output, '--cache-dir', TEST_CACHE];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args, ...options], { stdio: 'inherit' });
}
