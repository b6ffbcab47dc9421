import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { repositoryOf } from '#cli/release/registries/entry.ts';
import { printTable } from '../bench/measure/print.ts';
import { chosen } from '../helpers/chosen.ts';
import { installDebianPackage } from '../helpers/debian-package.ts';
import { installLocked } from '../helpers/install-locked.ts';
import { installPython } from '../helpers/install-python.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { REGISTRY_CHECKS, type RegistryCheck, type Setup, Skipped } from './checks.ts';
import { releaseEntries, releaseFiles } from './entries.ts';
import { serveRelease } from './release-server.ts';

// `npm run test:registries`: checks the files for registries with the tools of each registry, and installs the release with them from a
// loopback server. Requires Debian as root. A folder argument is a release to use; it must contain all programs and platforms. `--schemas FOLDER`
// contains winget's manifest.<type>.<version>.json and Scoop's schema as scoop.json. `--only WORD`
// selects the checks whose name contains it. Takes five minutes with a release.

const PACKAGES = ['makepkg', 'libarchive-tools', 'nix-bin', 'rubocop', 'shellcheck'];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { schemas: { type: 'string' }, only: { type: 'string', multiple: true } },
});
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-registries-'));
// makepkg runs as another user.
chmodSync(folder, 0o755);
try {
  process.exitCode = (await testRegistries()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function testRegistries(): Promise<boolean> {
  for (const name of PACKAGES)
    await installDebianPackage(name, `dpkg-query -f '\${db:Status-Abbrev}' -W ${name} | grep ^ii`);
  await installLocked(join(import.meta.dirname, 'mise'), 'mise');
  const python = await installPython(
    join(import.meta.dirname, 'tools.txt'),
    join(TEST_CACHE, 'python-registries'),
  );
  const release = positionals[0] ?? (await buildRelease());
  const [entry] = releaseEntries(release);
  if (!entry) throw new Error('there are no programs');
  const own = differences(release);
  if (own.length > 0) throw new Error(`The release has other files for registries: ${own.join(', ')}`);
  const repository = repositoryOf(entry);
  const server = await serveRelease(release, entry.version, repository);
  try {
    const files = releaseFiles(release, server.url);
    const registries = join(folder, 'registries');
    write(registries, files);
    const { schemas } = values;
    const setup = {
      release,
      version: entry.version,
      repository,
      server,
      files,
      folder: registries,
      python,
      schemas,
    };
    const rows: Row[] = [];
    const checks = chosen(REGISTRY_CHECKS, ({ name }) => name, values.only ?? []);
    for (const [index, check] of checks.entries()) rows.push(await runCheck(check, setup, index));
    printTable(
      ['check', 'result', 'seconds', 'MB', 'notes'],
      rows.map(({ name, result, seconds, bytes, facts }) => [
        name,
        result,
        seconds?.toFixed(1) ?? '',
        bytes === undefined ? '' : (bytes / 1e6).toFixed(0),
        facts ?? '',
      ]),
    );
    return rows.every(({ result }) => !result.startsWith('FAILED'));
  } finally {
    await server.close();
  }
}

interface Row {
  readonly name: string;
  readonly result: string;
  readonly seconds?: number | undefined;
  readonly bytes?: number | undefined;
  readonly facts?: string | undefined;
}

async function runCheck({ name, run }: RegistryCheck, setup: Setup, index: number): Promise<Row> {
  console.error(`${name} ...`);
  const scratch = join(folder, String(index));
  mkdirSync(scratch);
  try {
    const { facts, installed, seconds } = await run(setup, scratch);
    if (installed === undefined) return { name, result: 'passed', facts };
    await useBuildTool(installed, scratch);
    return { name, result: 'works', seconds, bytes: statSync(installed).size, facts };
  } catch (error) {
    if (error instanceof Skipped) return { name, result: `skipped: ${error.message}` };
    console.error(messageOf(error));
    return { name, result: `FAILED: ${messageOf(error).split('\n')[0]}` };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The installed build tool builds a model, whose executable runs. */
async function useBuildTool(installed: string, scratch: string): Promise<void> {
  const model = join(scratch, 'sentiment.encoder');
  const env = { ENCODERFILE_CACHE_DIR: join(scratch, 'cache') };
  await execa(
    installed,
    ['build', '--quiet', '-f', join(FIXTURES, 'models/sentiment/encoderfile.yml'), '-o', model],
    { env },
  );
  const { stdout } = await execa(model, ['infer', 'I love this'], { env });
  if (!stdout.includes('0.99527925')) throw new Error(`unexpected result: ${stdout}`);
}

/** The files that differ from those in the release. */
function differences(release: string): string[] {
  const path = (name: string): string => join(release, 'registries', name);
  return Object.entries(releaseFiles(release))
    .filter(([name, text]) => !existsSync(path(name)) || readFileSync(path(name), 'utf8') !== text)
    .map(([name]) => name);
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: path.includes('/bin/') ? 0o755 : 0o644 });
  }
}

async function buildRelease(): Promise<string> {
  console.error('Building the release for all programs and platforms ...');
  const release = join(folder, 'release');
  const main = join(ROOT, 'cli/release/main.ts');
  await execa(process.execPath, [main, '--out', release], { stdio: ['ignore', 'inherit', 'inherit'] });
  return release;
}
