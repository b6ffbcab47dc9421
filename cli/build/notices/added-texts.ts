import { repositoryFile } from '../../adapters/package-files.ts';
import type { NoticeText } from './notice.ts';
import { readTexts } from './read-texts.ts';

/** The texts in templates/notices for what is inside a package and not in its own license file. */
export async function addedTexts(name: string, version: string): Promise<NoticeText[]> {
  return await readTexts(repositoryFile(addedFolder(name, version)), /./);
}

/** The path from the repository's root. A scope has a slash, which is not for a folder's name. */
export const addedFolder = (name: string, version: string): string =>
  `templates/notices/${name.replace('/', '+')}@${version}`;
