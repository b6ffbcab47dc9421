import { defineConfig } from 'vitest/config';

// oxlint-disable-next-line import/no-default-export -- vitest reads the default export.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./helpers/built-folders.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // What is waited for comes soon, or later on a busy machine: how long it took is no test's matter.
    expect: { poll: { timeout: 60_000 } },
    // Node can deadlock while it ends a process (nodejs/node#54918); what hung is printed, and the test gets one more try.
    retry: { count: 1, condition: / hung:/ },
    maxWorkers: 2,
    pool: 'forks',
  },
});
