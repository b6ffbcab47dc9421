import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_CACHE } from './paths.ts';
import { runCli } from './run-cli.ts';

interface BuiltTarget {
  readonly path: string;
  readonly remove: () => void;
}

/** Builds a program that carries no model, with the real CLI. */
export async function buildTarget(target: 'manager' | 'gateway'): Promise<BuiltTarget> {
  const folder = mkdtempSync(join(tmpdir(), `${target}-built-`));
  const path = join(folder, target);
  const args = ['target', 'build', target, '--quiet', '-o', path, '--cache-dir', TEST_CACHE];
  const { exitCode, stderr } = await runCli(args);
  if (exitCode !== 0) throw new Error(`cannot build ${target}: ${stderr}`);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
