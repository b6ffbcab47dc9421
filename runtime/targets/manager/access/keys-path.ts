import { dirname, join, resolve } from 'node:path';
import type { ConfigPaths } from '../config/config-paths.ts';

/** Where the API keys are: the file that is asked for, else one beside the secrets. */
export const keysPath = (given: string | undefined, { runtime }: ConfigPaths): string =>
  given === undefined ? join(dirname(runtime), 'keys.jsonl') : resolve(given);
