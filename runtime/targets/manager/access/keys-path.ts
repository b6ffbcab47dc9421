import { dirname, join, resolve } from 'node:path';
import type { ConfigPaths } from '../config/config-paths.ts';

/** Returns the path of the API keys: the selected file, or keys.jsonl next to the secrets file. */
export const keysPath = (selected: string | undefined, { runtime }: ConfigPaths): string =>
  selected === undefined ? join(dirname(runtime), 'keys.jsonl') : resolve(selected);
