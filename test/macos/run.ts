import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { PLATFORMS, shortName } from '#contract/platforms.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { packageFolder } from '#cli/adapters/own-files.ts';
import { minimumSystem } from '#cli/release/minimum-systems.ts';
import { executableName, PROGRAMS } from '#cli/release/programs.ts';
import { signMacos } from '#cli/release/sign-macos.ts';
import { requireIntactFile } from '#platform/verify-file.ts';
import { printTable } from '../bench/measure/print.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';

// `npm run test:macos`: checks everything about the macOS executables that can be checked without macOS. An argument is the folder of a release to
// use. With rcodesign on the PATH, it also signs them as .ci/sign-macos does, with a certificate of its own instead of Apple's.

/** Libraries of macOS that the executables and their native libraries link to. All of them exist since macOS 11, the first version for arm64. */
const SYSTEM_LIBRARY =
  /^(?:\/usr\/lib\/(?:libSystem\.B|libc\+\+\.1|libobjc\.A|libiconv\.2)\.dylib|\/System\/Library\/Frameworks\/(?:CFNetwork|Cocoa|CoreFoundation|CoreML|Foundation|IOKit|IOSurface|Metal|Network|QuartzCore|Security|SystemConfiguration)\.framework\/Versions\/[AC]\/\w+)$/;

interface MachoFacts {
  readonly path: string;
  readonly executable: boolean;
  readonly libraries: readonly { readonly name: string; readonly kind: string }[];
  readonly searchPaths: readonly string[];
  readonly oldest: string;
  readonly adHoc: boolean;
  readonly hardened: boolean;
  readonly entitlements: readonly string[];
  readonly pages: number;
}

const platform = PLATFORMS.find((each) => shortName(each) === 'macos-arm64');
if (!platform) throw new Error('there is no platform macos-arm64');
const MACOS = platform;
const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-macos-'));
try {
  const executables = await provideExecutables(process.argv[2]);
  const rows = [
    ...(await checkAll(executables, checkExecutable)),
    ...(await checkAll(nativeLibraries(), checkLibrary)),
    ...(await checkSigning(executables)),
  ];
  printTable(['file', 'result', 'oldest macOS', 'libraries', 'pages'], rows);
  process.exitCode = rows.every(([, result]) => result !== 'FAILED') ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The executables of a release, and a model executable. */
async function provideExecutables(release: string | undefined): Promise<string[]> {
  const build = async (output: string, ...args: string[]): Promise<string> => {
    const options = ['--quiet', '--platform', 'macos-arm64', '-o', output, '--cache-dir', TEST_CACHE];
    await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args, ...options], { stdio: 'inherit' });
    return output;
  };
  const config = join(FIXTURES, 'models/sentiment/encoderfile.yml');
  const files = [await build(join(scratch, 'sentiment.encoder'), 'build', '-f', config)];
  for (const { program, target } of PROGRAMS) {
    files.push(
      release === undefined
        ? await build(join(scratch, program), 'target', 'build', target)
        : join(release, 'bin', executableName(program, MACOS)),
    );
  }
  return files;
}

function nativeLibraries(): string[] {
  const onnxruntime = join(packageFolder('onnxruntime-node') ?? '', 'bin/napi-v6/darwin/arm64');
  return [
    ...MACOS.onnxruntimeFiles.map((name) => join(onnxruntime, name)),
    join(packageFolder('tokenizers') ?? '', MACOS.tokenizersFile),
  ];
}

async function read(path: string): Promise<MachoFacts> {
  const { stdout } = await execa('python3', [join(import.meta.dirname, 'read_macho.py'), path]);
  return parseJsonText(stdout) as MachoFacts;
}

function check(condition: boolean, problem: string): void {
  if (!condition) throw new Error(problem);
}

async function checkAll(
  files: readonly string[],
  checkFile: (facts: MachoFacts) => Promise<void>,
): Promise<string[][]> {
  const rows: string[][] = [];
  for (const file of files) {
    console.error(`${basename(file)} ...`);
    try {
      const facts = await read(file);
      checkSystem(facts);
      await checkFile(facts);
      rows.push([basename(file), 'ok', facts.oldest, String(facts.libraries.length), String(facts.pages)]);
    } catch (error) {
      console.error(messageOf(error));
      rows.push([basename(file), 'FAILED']);
    }
  }
  return rows;
}

/** The oldest system is not newer than documented, and all libraries are part of it or next to the file. */
function checkSystem({ path, oldest, libraries, searchPaths }: MachoFacts): void {
  const documented = minimumSystem(MACOS).macos ?? '';
  check(
    Number(oldest) <= Number(documented),
    `${path} requires macOS ${oldest}, but ${documented} is documented`,
  );
  for (const { name } of libraries) {
    const own = MACOS.onnxruntimeFiles.some((file) => name === `@rpath/${file}`);
    check(own || SYSTEM_LIBRARY.test(name), `${path} links to ${name}`);
    if (own)
      check(searchPaths.join() === '@loader_path', `${path} searches ${searchPaths.join()} for ${name}`);
  }
}

async function checkExecutable({ path, executable, adHoc, hardened }: MachoFacts): Promise<void> {
  check(executable && adHoc && !hardened, `${path} is not an executable with an ad-hoc signature`);
  await execa('python3', [join(ROOT, 'test/cli/packaging/binary/verify-macho.py'), path]);
  await requireIntactFile(path);
  check((statSync(path).mode & 0o111) !== 0, `${path} is not executable`);
}

function checkLibrary({ path, executable, adHoc, hardened }: MachoFacts): Promise<void> {
  check(!executable && (adHoc || hardened), `${path} is not a signed library`);
  return Promise.resolve();
}

/** Signs copies with a certificate that rcodesign creates, and the options of .ci/sign-macos. */
async function checkSigning(executables: readonly string[]): Promise<string[][]> {
  const { exitCode } = await execa('rcodesign', ['--version'], { reject: false });
  if (exitCode !== 0) return [['signed with a certificate', 'skipped: requires rcodesign', '', '', '']];
  const folder = join(scratch, 'signed');
  mkdirSync(folder);
  const certificate = join(folder, 'certificate.p12');
  const create = ['--person-name', 'Test', '--p12-file', certificate, '--p12-password', 'password'];
  await execa('rcodesign', ['generate-self-signed-certificate', ...create]);
  const rows: string[][] = [];
  for (const file of executables) {
    const name = `${basename(file)}, signed with a certificate`;
    try {
      rows.push([name, ...(await signAndCheck(file, certificate, folder))]);
    } catch (error) {
      console.error(messageOf(error));
      rows.push([name, 'FAILED']);
    }
  }
  return rows;
}

async function signAndCheck(file: string, certificate: string, folder: string): Promise<string[]> {
  const command = join(folder, 'sign');
  const entitlements = join(ROOT, 'templates/release/entitlements.plist');
  const options = `--p12-file ${certificate} --p12-password password --code-signature-flags runtime --entitlements-xml-file ${entitlements}`;
  await execa('sh', [
    '-c',
    `printf '#!/bin/sh\nexec rcodesign sign ${options} "$1"\n' > "$1"; chmod 755 "$1"`,
    'sh',
    command,
  ]);
  const copy = join(folder, basename(file));
  await execa('cp', [file, copy]);
  await signMacos(command, copy);
  await execa('rcodesign', ['verify', copy], { reject: false });
  const facts = await read(copy);
  checkSystem(facts);
  check(facts.hardened && !facts.adHoc, `${copy} has no hardened runtime`);
  check(facts.entitlements.length === 3, `${copy} has other entitlements: ${facts.entitlements.join()}`);
  rmSync(copy);
  return ['ok', facts.oldest, String(facts.libraries.length), String(facts.pages)];
}
