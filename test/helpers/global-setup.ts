import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { FIXTURES, TEST_CACHE } from './paths.ts';
import { runCli } from './run-cli.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with `<model>.encoder` and `<model>.assets` for every fixture model. */
    built: string;
  }
}

/** Builds every fixture model once, with the real CLI, for all tests; removes the results in the end. */
export async function setup(project: TestProject): Promise<() => void> {
  const built = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  for (const model of await readdir(join(FIXTURES, 'models'))) {
    const config = join(FIXTURES, 'models', model, 'encoderfile.yml');
    const output = join(built, `${model}.encoder`);
    for (const extra of [[], ['--no-build']]) {
      const args = ['build', '--quiet', '-f', config, '-o', output, '--cache-dir', TEST_CACHE, ...extra];
      const { exitCode, stderr } = await runCli(args);
      if (exitCode !== 0) throw new Error(`cannot build fixture ${model}: ${stderr}`);
    }
  }
  project.provide('built', built);
  return () => rmSync(built, { recursive: true, force: true });
}
