import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NoticeText } from './format-notices.ts';

/**
 * Reads the files in a folder whose names match a pattern; returns an empty list if the folder does
 * not exist.
 */
export async function readTexts(folder: string, pattern: RegExp): Promise<NoticeText[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => pattern.test(name)).sort();
  return await Promise.all(
    files.map(async (source) => {
      const text = await readFile(join(folder, source), 'utf8');
      return {
        source,
        text: text
          .replaceAll('\r\n', '\n')
          .replace(/^\s*\n/, '')
          .trimEnd(),
      };
    }),
  );
}
