import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { TEST_CACHE } from './paths.ts';
import { runCli } from './run-cli.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The executable of mcp-manager. */
    manager: string;
  }
}

/** Builds mcp-manager once, with the real CLI, for all tests; removes it in the end. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-manager-built-'));
  const path = join(folder, 'mcp-manager');
  const args = ['target', 'build', 'manager', '--quiet', '-o', path, '--cache-dir', TEST_CACHE];
  const { exitCode, stderr } = await runCli(args);
  if (exitCode !== 0) throw new Error(`cannot build mcp-manager: ${stderr}`);
  project.provide('manager', path);
  return () => rmSync(folder, { recursive: true, force: true });
}
