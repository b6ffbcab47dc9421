import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { TEST_CACHE } from './helpers/paths.ts';
import { SlowFirst } from './slow-first.ts';
import { type ProjectName, testFilesByProject } from './test-projects.ts';

const FILES = testFilesByProject(import.meta.dirname);

/** Names the folders of the programs that tests need. */
export const BUILT_FOLDERS = join(import.meta.dirname, 'helpers/built-folders.ts');

/**
 * Workers keep imported modules for their next file, because importing took longer than most tests. A file that changes its process (a
 * variable, a listener, a directory) must undo the change.
 */
const project = (name: ProjectName, pool: 'forks' | 'threads'): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    pool,
    isolate: false,
    include: [...FILES[name]],
    // By default one CPU stays free, which is half of a small machine. Tests with processes often wait for them.
    maxWorkers: availableParallelism() * (name === 'unit' ? 1 : 2),
    globalSetup: name === 'unit' ? [] : [BUILT_FOLDERS],
    // Workers without more files of `contract` continue with those of `e2e`.
    sequence: { groupOrder: name === 'unit' ? 0 : 1 },
  },
});

/** Common settings for all tests. */
export const SETTINGS = {
  root: import.meta.dirname,
  testTimeout: 120_000,
  unstubEnvs: true,
  // Programs that tests start from source share Node's compile cache.
  env: { NODE_COMPILE_CACHE: join(TEST_CACHE, 'compiled') },
  hookTimeout: 180_000,
  // On a busy machine, a condition can take longer to be met; tests do not check this time.
  expect: { poll: { timeout: 60_000 } },
  // Node can deadlock at process exit (nodejs/node#54918); the hung process is printed, and the test is retried once.
  retry: { count: 1, condition: / hung:/ },
};

// oxlint-disable-next-line import/no-default-export -- vitest requires a default export.
export default defineConfig({
  test: {
    ...SETTINGS,
    projects: [project('unit', 'threads'), project('contract', 'forks'), project('e2e', 'forks')],
    sequence: { sequencer: SlowFirst },
  },
});
