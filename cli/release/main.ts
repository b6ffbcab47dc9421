import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError, messageOf } from '#contract/errors.ts';
import { PLATFORMS } from '#contract/platforms.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { ownVersion, readOwnText } from '../adapters/own-files.ts';
import { defaultCacheDir } from '../adapters/user-folders.ts';
import { parsePlatform } from '../packaging/plan.ts';
import { PROGRAMS, type ProgramFacts } from './programs.ts';
import { type ReleaseRequest, writeRelease } from './release.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

const USAGE = `Usage: npm run release -- --out FOLDER [--platform NAME ...] [--program NAME ...] [--url URL]

  --out FOLDER        New folder for the release files
  --platform NAME     Platform to build for, e.g. linux-x64; can be repeated (default: all)
  --program NAME      encoderfile, mcp-manager or gateway; can be repeated (default: all)
  --url URL           Where users will download the files (default: the releases of the repository in package.json)
  --sign-macos CMD    Command that signs a macOS executable, whose path it receives; e.g. .ci/sign-macos (default: an ad-hoc signature)
  --cache-dir FOLDER  Folder for base runtimes`;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  let request: ReleaseRequest;
  try {
    if (argv.includes('--help')) {
      console.log(USAGE);
      return 0;
    }
    request = readRequest(argv);
  } catch (error) {
    console.error(`Error: ${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  try {
    await writeRelease(request);
    return 0;
  } catch (error) {
    console.error(`Error: ${AppError.from(error).message}`);
    return 1;
  }
}

function readRequest(argv: readonly string[]): ReleaseRequest {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      out: { type: 'string' },
      platform: { type: 'string', multiple: true },
      program: { type: 'string', multiple: true },
      url: { type: 'string' },
      'sign-macos': { type: 'string' },
      'cache-dir': { type: 'string' },
    },
  });
  if (values.out === undefined || values.out === '') throw new Error('--out is missing.');
  const { homepage, license } = parseJsonText(readOwnText('package.json')) as {
    homepage: string;
    license: string;
  };
  return {
    out: resolve(values.out),
    platforms: values.platform?.map(parsePlatform) ?? PLATFORMS,
    programs: values.program?.map(parseProgram) ?? PROGRAMS,
    url: values.url === undefined ? `${homepage}/releases/download/v${ownVersion()}` : parseUrl(values.url),
    homepage,
    license,
    signMacos: values['sign-macos'],
    cacheDir: resolve(values['cache-dir'] ?? defaultCacheDir()),
    report: (line) => console.error(line),
  };
}

/** The URL is written into scripts and manifests of many languages, so characters with a meaning in one of them are rejected. */
function parseUrl(url: string): string {
  if (!/^https?:\/\/[\w.:[\]-]+(?:\/[\w.,~%@+/-]*)?$/.test(url))
    throw new Error(
      `Invalid URL ${url}. --url must start with http:// or https:// and contain no spaces, quotes or $.`,
    );
  return trimEndOf(url, '/');
}

function parseProgram(name: string): ProgramFacts {
  const found = PROGRAMS.find(({ program }) => program === name);
  if (found) return found;
  throw new Error(`Unknown program ${name}. Programs: ${PROGRAMS.map(({ program }) => program).join(', ')}.`);
}
