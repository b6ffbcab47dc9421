import { defineConfig } from 'vitest/config';
import { BUILT_FOLDERS, SETTINGS } from '../vitest.config.ts';

/** `npm run test:gpu`: models on a GPU or a software driver. Software drivers use all CPUs, so files run one at a time. */
// oxlint-disable-next-line import/no-default-export -- vitest requires a default export.
export default defineConfig({
  test: {
    ...SETTINGS,
    testTimeout: 300_000,
    include: ['gpu/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    globalSetup: [BUILT_FOLDERS],
  },
});
