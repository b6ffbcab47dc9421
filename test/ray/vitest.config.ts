import { defineConfig } from 'vitest/config';
import { BUILT_FOLDERS, SETTINGS } from '../vitest.config.ts';

/** `npm run test:ray` and `test:ray:nodes`: jobs on a real Ray cluster, which takes longer to start than all of its tests. */
// oxlint-disable-next-line import/no-default-export -- vitest requires a default export.
export default defineConfig({
  test: { ...SETTINGS, include: ['ray/**/*.test.ts'], pool: 'forks', globalSetup: [BUILT_FOLDERS] },
});
