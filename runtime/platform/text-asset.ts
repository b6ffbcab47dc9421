import { readFileSync } from 'node:fs';
import { getAsset, getAssetKeys, isSea } from 'node:sea';
import { textAsset } from '#contract/native.ts';

/**
 * Reads a text that ships with the program: the executable's asset `name`, or its source file,
 * optionally processed first.
 */
export function readTextAsset(name: string, source: URL, prepare = (text: string) => text): string {
  return isSea() ? getAsset(textAsset(name), 'utf8') : prepare(readFileSync(source, 'utf8'));
}

/** Names of the executable's texts that begin with a prefix; undefined when running from source. */
export function textAssetNames(prefix: string): readonly string[] | undefined {
  if (!isSea()) return undefined;
  const start = textAsset('');
  return getAssetKeys()
    .filter((key) => key.startsWith(start + prefix))
    .map((key) => key.slice(start.length));
}
