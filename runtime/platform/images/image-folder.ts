import { type Dirent, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';

/** Extensions of the files that are read from a folder. The format of an image is determined by its content. */
const EXTENSIONS: readonly string[] = ['.jpg', '.jpeg', '.png', '.webp', '.gif'];

/** Whether a path is a folder. The text of a long data: URL and a cycle of links are not, but `stat` fails for both. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/**
 * The images directly in a folder, sorted by name. Other files, hidden files and subfolders are skipped,
 * because a folder of photographs often contains previews and notes.
 */
export function imagesInFolder(folder: string): string[] {
  const images = entriesOf(folder)
    .filter((entry) => !entry.isDirectory() && isImageName(entry.name))
    .map(({ name }) => name)
    .sort();
  if (images.length > 0) return images.map((name) => join(folder, name));
  throw configError(
    `The folder ${folder} contains no images (${EXTENSIONS.join(', ')}). Images in its subfolders are not read; pass each subfolder.`,
  );
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw configError(
      `Cannot read the folder ${folder} (${errorCode(error) ?? 'unknown error'}). Check its permissions.`,
      error,
    );
  }
}

const isImageName = (name: string): boolean =>
  !name.startsWith('.') && EXTENSIONS.includes(extname(name).toLowerCase());
