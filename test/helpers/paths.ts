import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));

/** Base runtimes take seconds to build and depend only on our sources, so test runs share them. */
export const TEST_CACHE = fileURLToPath(
  new URL('../../node_modules/.cache/encoderfile-test', import.meta.url),
);
