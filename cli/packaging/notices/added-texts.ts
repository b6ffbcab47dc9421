import { repositoryFile } from '../../adapters/own-files.ts';
import type { NoticeText } from './notice.ts';
import { readTexts } from './read-texts.ts';

/** Texts in templates/notices for software inside a package that its own license file does not cover. */
export async function addedTexts(name: string, version: string): Promise<NoticeText[]> {
  return await readTexts(repositoryFile(addedFolder(name, version)), /./);
}

/** Folder of these texts, relative to the repository root. Scopes contain a slash, which is not allowed in a folder name. */
export const addedFolder = (name: string, version: string): string =>
  `templates/notices/${name.replace('/', '+')}@${version}`;
