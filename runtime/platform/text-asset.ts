import { readFileSync } from 'node:fs';
import { getAsset, isSea } from 'node:sea';
import { textAsset } from '#contract/native.ts';

/** Reads a text that ships with the program: the asset `name` of the executable, or its source file. */
export function readTextAsset(name: string, source: URL): string {
  return isSea() ? getAsset(textAsset(name), 'utf8') : readFileSync(source, 'utf8');
}
