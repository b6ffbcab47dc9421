import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { FIXTURES, TEST_CACHE } from './paths.ts';
import { runCli } from './run-cli.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with `<model>.encoder` and `<model>.assets` for every fixture model, and `<model>-transformed` for some. */
    built: string;
  }
}

/** Builds every fixture model once, with the real CLI, for all tests; removes the results in the end. */
export async function setup(project: TestProject): Promise<() => void> {
  const built = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  const configs = [
    ...(await readdir(join(FIXTURES, 'models'))).map((name) => ({
      model: name,
      config: join(FIXTURES, 'models', name, 'encoderfile.yml'),
    })),
    ...(await readdir(join(FIXTURES, 'transformed'))).map((file) => ({
      model: `${basename(file, '.yml')}-transformed`,
      config: join(FIXTURES, 'transformed', file),
    })),
  ];
  for (const { model, config } of configs) {
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
