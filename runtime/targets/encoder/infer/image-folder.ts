import { readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { configError } from '#contract/errors.ts';

/** Extensions of the files that are read from a folder. The format of an image is determined by its content. */
const EXTENSIONS: readonly string[] = ['.jpg', '.jpeg', '.png', '.webp', '.gif'];

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * The images directly in a folder, sorted by name. Other files, hidden files and subfolders are skipped,
 * because a folder of photographs often contains previews and notes.
 */
export function imagesInFolder(folder: string): string[] {
  const images = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && isImageName(entry.name))
    .map(({ name }) => name)
    .sort();
  if (images.length > 0) return images.map((name) => join(folder, name));
  throw configError(
    `The folder ${folder} contains no images (${EXTENSIONS.join(', ')}). Images in its subfolders are not read; pass each subfolder.`,
  );
}

const isImageName = (name: string): boolean =>
  !name.startsWith('.') && EXTENSIONS.includes(extname(name).toLowerCase());
