import type { TestProject } from 'vitest/node';
import { buildTarget } from './build-target.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The executable of mcp-manager. */
    manager: string;
  }
}

/** Builds mcp-manager once for all tests; removes it in the end. */
export async function setup(project: TestProject): Promise<() => void> {
  const { path, remove } = await buildTarget('manager');
  project.provide('manager', path);
  return remove;
}
