import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { copyrightComments } from './copyright-comments.ts';
import type { Notice, NoticeText } from './format-notices.ts';
import { readTexts } from './read-texts.ts';
import { ACCEPTED_LICENSES, isAcceptedLicense } from './accepted-licenses.ts';
import { repositoryFile } from '../../adapters/own-files.ts';

const LICENSE_FILE = /^(?:licen[cs]e|copying|copyright|notice|third.?party.?notices)(?:[.-].*)?$/i;
const README_LICENSE = /^#+ *licen[cs]e\b.*\n([^]*)/im;

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
}

/**
 * Builds the notice for an installed package: its license files or the license in its README, and
 * the notices in its bundled files.
 */
export async function packageNotice(folder: string, bundledFiles: readonly string[]): Promise<Notice> {
  const json = parseJsonText(await readFile(join(folder, 'package.json'), 'utf8')) as PackageJson;
  const { name, version, license } = json;
  checkLicense(`${name} ${version}`, license);
  const [own, added] = await Promise.all([readTexts(folder, LICENSE_FILE), addedTexts(name, version)]);
  const licenses = [...(own.length > 0 ? own : await readmeLicense(folder)), ...added];
  if (licenses.length === 0) licenses.push(standardText(json, license));
  return { name, version, license, texts: [...licenses, ...(await commentsIn(bundledFiles))] };
}

async function readmeLicense(folder: string): Promise<NoticeText[]> {
  const [readme] = await readTexts(folder, /^readme\.md$/i);
  const text = README_LICENSE.exec(readme?.text ?? '')?.[1]?.trim() ?? '';
  return /copyright/i.test(text) ? [{ source: 'README.md', text }] : [];
}

/**
 * Apache-2.0 requires a copy of its text without names; the notices start with one, because it is
 * also this project's license.
 */
function standardText({ name, version }: PackageJson, license: string): NoticeText {
  if (license.includes('Apache-2.0'))
    return {
      source: 'License',
      text: 'The Apache License 2.0, which is also the license of encoderfile; see above.',
    };
  throw configError(
    `Cannot bundle ${name} ${version}: it has no license text. Add the text to ${addedFolder(name, version)}/.`,
  );
}

async function commentsIn(files: readonly string[]): Promise<NoticeText[]> {
  const comments = await Promise.all(
    files.map(async (file) => copyrightComments(await readFile(file, 'utf8'))),
  );
  return [...new Set(comments.flat())].map((text) => ({ source: 'Source files', text }));
}

/** Rejects a package whose license is missing, not an SPDX expression, or does not allow executables to be redistributed. */
function checkLicense(title: string, license: unknown): asserts license is string {
  if (typeof license === 'string' && isAcceptedLicense(license)) return;
  const shown = license === undefined ? 'no license' : `the license ${JSON.stringify(license)}`;
  throw configError(
    `Cannot bundle ${title}: its package.json has ${shown}, but executables can only contain packages with these licenses: ` +
      `${ACCEPTED_LICENSES.join(', ')}. Replace the package, or accept its license in cli/packaging/notices/accepted-licenses.ts.`,
  );
}

/**
 * Texts in templates/notices for software inside a package that the package's own license file does
 * not cover.
 */
export async function addedTexts(name: string, version: string): Promise<NoticeText[]> {
  return await readTexts(repositoryFile(addedFolder(name, version)), /./);
}

/**
 * Folder of these texts, relative to the repository root. The slash of a scoped name is not allowed
 * in a folder name.
 */
export const addedFolder = (name: string, version: string): string =>
  `templates/notices/${name.replace('/', '+')}@${version}`;
