import { readFile } from 'node:fs/promises';
import { errorCode } from '#core/values/error-code.ts';
import { accessRefused } from './access-refused.ts';

/** The settings of a section, with names in lower case. */
export type Section = Readonly<Record<string, string>>;

/** The sections of the files that Amazon's tools share. */
export interface Profiles {
  /** The settings of a profile of all files; undefined if none has it. */
  profile(name: string): Section | undefined;
  /** A section `[sso-session name]`. */
  ssoSession(name: string): Section | undefined;
}

/** Reads files in the format INI, of which the first has precedence. @see https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html */
export async function readProfiles(paths: readonly string[]): Promise<Profiles> {
  const files = await Promise.all(paths.map(async (path) => sectionsOf(await textOf(path))));
  const merged = (title: string): Section | undefined => {
    const found = files.map((sections) => sections.get(title)).filter((one) => one !== undefined);
    return found.length === 0 ? undefined : (Object.assign({}, ...found.toReversed()) as Section);
  };
  return {
    profile: merged,
    ssoSession: (name) => merged(`sso-session ${name}`),
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return '';
    throw accessRefused(`Cannot read ${path}: ${errorCode(error) ?? 'unknown error'}.`, error);
  }
}

/** The file of settings writes `[profile name]`, the other one `[name]`. */
function sectionsOf(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Record<string, string>>();
  let section: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\s*\[(.*?)\]/.exec(line) ?? [];
    if (title !== undefined) {
      const name = title
        .replace(/^profile\s+/, '')
        .replace(/\s+/g, ' ')
        .trim();
      section = sections.get(name) ?? {};
      sections.set(name, section);
      continue;
    }
    const [, name, value] = /^([\w-]+)\s*=(.*)$/.exec(line) ?? [];
    if (section && name !== undefined && value?.trim()) section[name.toLowerCase()] = value.trim();
  }
  return sections;
}
