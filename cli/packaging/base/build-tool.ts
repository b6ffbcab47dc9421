import { readdir } from 'node:fs/promises';
import type { SectionName } from '#contract/container/sections.ts';
import { isHost, type Platform } from '#contract/platforms.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { type Bundle, bundle } from '../../adapters/esbuild.ts';
import { compileInProcess } from '../../adapters/v8-code-cache.ts';
import { NOTICES_TEXT, ownVersion, readOwnText, repositoryFile } from '../../adapters/own-files.ts';
import { zstd } from '../../adapters/zstd.ts';
import { collectNotices, NATIVE_PACKAGES } from '../notices/collect-notices.ts';
import { formatNotices, type Notice } from '../notices/format-notices.ts';
import type { SectionContent } from '../steps/write-container.ts';
import { bundleProgram } from './program.ts';

const MAIN = 'cli/bin.ts';
const THREADS = ['cli/adapters/lua-thread.ts'];
const TEMPLATES = 'templates/transform';

const OPTIONS = {
  // The one-file program never builds a base runtime, because its own file is one.
  external: ['esbuild'],
  // The build tool's code runs from memory, where it cannot import modules.
  canImport: false,
};

/** The build tool as sections to append to a base runtime: its code and V8's code cache for it. */
export async function bundleBuildTool(
  platform: Platform,
): Promise<{ name: SectionName; content: SectionContent }[]> {
  const bundled = bundleThreads();
  const [threads, notices, scripts] = await Promise.all([
    bundled,
    buildToolNotices(bundled),
    readdir(repositoryFile(TEMPLATES)),
  ]);
  const templates = [
    'templates/encoderfile.yml',
    'templates/calibration.txt',
    'templates/export.py',
    ...scripts.sort().map((name) => `${TEMPLATES}/${name}`),
  ];
  const { code } = await bundleWith({
    'package.json': ownPackage(),
    [NOTICES_TEXT]: await packNotices(formatNotices(notices)),
    ...Object.fromEntries(templates.map((path) => [path, readOwnText(path)])),
    ...Object.fromEntries(threads.map(({ entry, code }) => [entry, new TextDecoder().decode(code)])),
  });
  const sections: { name: SectionName; content: SectionContent }[] = [
    { name: 'program', content: { bytes: code } },
  ];
  // V8 only accepts compiled code for the same CPU architecture.
  if (isHost(platform, process)) {
    sections.push({ name: 'code-cache', content: { bytes: await compileInProcess(code) } });
  }
  return sections;
}

/**
 * Collects the notices of all software in the one-file build tool, which includes the software in
 * model executables.
 */
export async function buildToolNotices(bundled = bundleThreads()): Promise<Notice[]> {
  const [tool, threads, encoder] = await Promise.all([
    bundleWith({}),
    bundled,
    bundleProgram('encoder', ownVersion()),
  ]);
  const files = [...tool.files, ...threads.flatMap((thread) => thread.files), ...encoder.files];
  return await collectNotices(files, NATIVE_PACKAGES);
}

const bundleThreads = (): Promise<({ entry: string } & Bundle)[]> =>
  Promise.all(THREADS.map(async (entry) => ({ entry, ...(await bundle(repositoryFile(entry), {})) })));

const bundleWith = (texts: Readonly<Record<string, string>>): Promise<Bundle> =>
  bundle(repositoryFile(MAIN), { ENCODERFILE_TEXTS: JSON.stringify(texts) }, OPTIONS);

/**
 * The notices are compressed: they would make up a third of the program's text, and are not needed
 * at startup.
 */
const packNotices = async (notices: string): Promise<string> =>
  Buffer.from(await zstd(new TextEncoder().encode(notices))).toString('base64');

/** The members of package.json that the program reads. */
function ownPackage(): string {
  const { name, version, description, oclif } = parseJsonText(readOwnText('package.json')) as Record<
    string,
    unknown
  >;
  return JSON.stringify({ name, version, description, oclif });
}
