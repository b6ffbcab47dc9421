import { readdir } from 'node:fs/promises';
import type { SectionName } from '../../../runtime/contract/container/sections.ts';
import type { Platform } from '../../../runtime/contract/platforms.ts';
import { parseJsonText } from '../../../runtime/core/json/json-text.ts';
import { compileProgram } from '../../../runtime/platform/appended-program.ts';
import { bundle } from '../../adapters/esbuild.ts';
import { NOTICES_TEXT, ownVersion, readOwnText, repositoryFile } from '../../adapters/own-files.ts';
import { zstd } from '../../adapters/zstd.ts';
import { collectNotices, NATIVE_PACKAGES } from '../notices/collect-notices.ts';
import { formatNotices } from '../notices/format-notices.ts';
import type { Content } from '../steps/write-container.ts';
import { bundleProgram } from './program.ts';

const MAIN = 'cli/bin.ts';
const THREADS = ['cli/adapters/lua-thread.ts'];
const TEMPLATES = 'templates/transform';

/** The one-file program never builds a base runtime, because its own file is one. */
const EXTERNAL = ['esbuild'];

/** The build tool as sections that are appended to a base runtime: its code, and what V8 compiled of it. */
export async function bundleBuildTool(
  platform: Platform,
): Promise<{ name: SectionName; content: Content }[]> {
  const threads = await Promise.all(
    THREADS.map(async (entry) => ({ entry, ...(await bundle(repositoryFile(entry), {})) })),
  );
  const tool = await bundleWith({});
  const { files } = await bundleProgram('encoder', ownVersion());
  const notices = await collectNotices(
    [tool, ...threads].flatMap((part) => part.files).concat(files),
    NATIVE_PACKAGES,
  );
  const scripts = (await readdir(repositoryFile(TEMPLATES))).map((name) => `${TEMPLATES}/${name}`).sort();
  const { code } = await bundleWith({
    'package.json': ownPackage(),
    [NOTICES_TEXT]: await packNotices(formatNotices(notices)),
    ...Object.fromEntries(['templates/encoderfile.yml', ...scripts].map((path) => [path, readOwnText(path)])),
    ...Object.fromEntries(threads.map(({ entry, code }) => [entry, new TextDecoder().decode(code)])),
  });
  const isHost = platform.os === process.platform && platform.cpu === process.arch;
  return [
    { name: 'program', content: { bytes: code } },
    ...(isHost
      ? [
          {
            name: 'code-cache' as const,
            content: { bytes: compileProgram(new TextDecoder().decode(code)) },
          },
        ]
      : []),
  ];
}

const bundleWith = (texts: Readonly<Record<string, string>>): ReturnType<typeof bundle> =>
  bundle(repositoryFile(MAIN), { ENCODERFILE_TEXTS: JSON.stringify(texts) }, EXTERNAL);

/** The notices are a third of the program as text, and no start needs them. */
const packNotices = async (notices: string): Promise<string> =>
  Buffer.from(await zstd(new TextEncoder().encode(notices))).toString('base64');

/** The part of package.json that the program reads. */
function ownPackage(): string {
  const { name, version, description, oclif } = parseJsonText(readOwnText('package.json')) as Record<
    string,
    unknown
  >;
  return JSON.stringify({ name, version, description, oclif });
}
