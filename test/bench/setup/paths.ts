import { join } from 'node:path';

const repository = join(import.meta.dirname, '../../..');
const work = join(repository, 'node_modules/.cache/encoderfile-bench');

/** All files of the benchmark are in one folder, which is kept between runs. */
export const PATHS = {
  repository,
  bench: join(repository, 'test/bench'),
  /** The packages to compare with. In a folder of their own, so that no other file of the benchmark imports them by mistake. */
  contestants: join(repository, 'test/bench/contestants'),
  cli: join(repository, 'cli/bin.ts'),
  transformersChild: join(repository, 'test/bench/contestants/transformers-child.mjs'),
  work,
  manager: join(work, 'mcp-manager'),
  gateway: join(work, 'gateway'),
  liteLlm: join(work, 'litellm'),
  peers: join(work, 'peers'),
  docs: join(repository, 'docs'),
  models: join(work, 'models'),
  buildCache: join(work, 'build-cache'),
  nativeCache: join(work, 'native-cache'),
} as const;
