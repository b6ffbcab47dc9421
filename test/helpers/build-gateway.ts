import type { TestProject } from 'vitest/node';
import { buildTarget } from './build-target.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The executable of the gateway. */
    gateway: string;
  }
}

/** Builds the gateway once for all tests; removes it in the end. */
export async function setup(project: TestProject): Promise<() => void> {
  const { path, remove } = await buildTarget('gateway');
  project.provide('gateway', path);
  return remove;
}
