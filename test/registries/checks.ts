import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { execa } from 'execa';
import { parse } from 'yaml';
import { parseJsonText } from '#core/json/json-text.ts';
import type { RegistryFiles } from '#cli/release/registries/entry.ts';
import { releaseSums } from './entries.ts';
import type { ReleaseServer } from './release-server.ts';

/** What a check needs: the files of all registries in a folder, whose downloads come from the server. */
export interface Setup {
  readonly release: string;
  readonly version: string;
  readonly repository: string;
  readonly server: ReleaseServer;
  readonly files: RegistryFiles;
  /** Folder with the files. */
  readonly folder: string;
  /** Python with the tools in tools.txt. */
  readonly python: string;
  /** Folder with the JSON schemas of winget and Scoop, which no package contains. */
  readonly schemas: string | undefined;
}

/** The result of a check: what it found, or the executable that it installed. */
interface Outcome {
  readonly facts?: string;
  readonly installed?: string;
  /** Seconds of the installation. */
  readonly seconds?: number;
}

export interface RegistryCheck {
  readonly name: string;
  /** `scratch` is an empty folder. */
  readonly run: (setup: Setup, scratch: string) => Promise<Outcome>;
}

export class Skipped extends Error {}

export const REGISTRY_CHECKS: readonly RegistryCheck[] = [
  { name: 'checksums in all files', run: checkSums },
  { name: 'Homebrew: ruby -c, rubocop', run: checkFormulas },
  { name: 'AUR: makepkg --printsrcinfo, shellcheck', run: checkPkgbuilds },
  { name: 'AUR: makepkg', run: makePackage },
  { name: 'nixpkgs: parsed, evaluated, downloaded by Nix', run: checkNix },
  { name: 'conda-forge: rattler-build, installed from a channel', run: buildConda },
  { name: 'mise: github backend', run: installWithMise },
  { name: 'asdf: shellcheck', run: checkPlugins },
  { name: 'asdf: plugin', run: installPlugin },
  { name: 'asdf: a changed download is discarded', run: rejectDownload },
  { name: 'winget: JSON schemas', run: checkWinget },
  { name: 'Scoop: JSON schema', run: checkScoop },
  { name: 'Docker Hub: lengths', run: checkDockerHub },
  { name: 'install.sh', run: runInstallScript },
];

const at = (setup: Setup, pattern: string): string[] =>
  globSync(pattern, { cwd: setup.folder })
    .sort()
    .map((path) => join(setup.folder, path));

const check = (condition: boolean, problem: string): void => {
  if (!condition) throw new Error(problem);
};

/** Each URL of a file is followed by the file's checksum, in the encoding of the registry. */
async function checkSums({ release, server, files }: Setup): Promise<Outcome> {
  const sums = releaseSums(release);
  let count = 0;
  for (const [path, text] of Object.entries(files)) {
    const known = new Set([...sums.values()].flatMap((sum) => [sum, sum.toUpperCase(), sriOf(sum)]));
    for (const sum of text.match(/\b[0-9a-fA-F]{64}\b|sha256-[\w+/]{43}=/g) ?? [])
      check(known.has(sum), `${path} contains ${sum}, which is not in SHA256SUMS`);
    const urls = text.match(new RegExp(`${server.url}/[\\w.-]+`, 'g')) ?? [];
    for (const url of urls) {
      const name = url.slice(server.url.length + 1);
      const sum = sums.get(name);
      if (name === 'SHA256SUMS') continue;
      check(sum !== undefined, `${path} contains ${url}, which is not in the release`);
      check(
        [sum, sum?.toUpperCase(), sriOf(sum ?? '')].some((one) => text.includes(one ?? '?')),
        `${path} has no checksum of ${name}`,
      );
      count += 1;
    }
  }
  return { facts: `${count} URLs` };
}

const sriOf = (sum: string): string => `sha256-${Buffer.from(sum, 'hex').toString('base64')}`;

async function checkFormulas(setup: Setup): Promise<Outcome> {
  const formulas = at(setup, 'homebrew-tap/Formula/*.rb');
  for (const formula of formulas) await execa('ruby', ['-c', formula]);
  await execa('rubocop', ['--only', 'Lint,Layout', ...formulas]);
  return { facts: `${formulas.length} formulas` };
}

async function checkPkgbuilds(setup: Setup, scratch: string): Promise<Outcome> {
  const files = at(setup, 'aur/*/PKGBUILD');
  // makepkg requires a writable folder.
  await execa('chown', ['nobody', scratch]);
  for (const file of files) {
    cpSync(file, join(scratch, 'PKGBUILD'));
    const { stdout } = await asNobody(scratch, ['makepkg', '--printsrcinfo']);
    const summary = readFileSync(join(dirname(file), '.SRCINFO'), 'utf8');
    check(stdout.trim() === summary.trim(), `${file}: makepkg prints another .SRCINFO: ${stdout}`);
  }
  // makepkg reads and sets these variables.
  await execa('shellcheck', ['-s', 'bash', '-e', 'SC2034,SC2154', ...files]);
  return { facts: `${files.length} PKGBUILDs` };
}

async function makePackage(setup: Setup, scratch: string): Promise<Outcome> {
  cpSync(join(setup.folder, 'aur/encoderfile-bin'), scratch, { recursive: true });
  await execa('chown', ['-R', 'nobody', scratch]);
  const started = performance.now();
  // The libraries are not packages of pacman here.
  await asNobody(scratch, ['makepkg', '--nodeps', '--nocolor']);
  const [built = ''] = globSync('*.pkg.tar', { cwd: scratch });
  const root = join(scratch, 'root');
  mkdirSync(root);
  await execa('tar', ['-xf', join(scratch, built), '-C', root]);
  const seconds = (performance.now() - started) / 1000;
  check(
    existsSync(join(root, 'usr/share/licenses/encoderfile-bin/NOTICES.txt')),
    'the package contains no notices',
  );
  return { installed: join(root, 'usr/bin/encoderfile'), seconds };
}

/** makepkg refuses to run as root. */
const asNobody = (cwd: string, command: readonly string[]) =>
  execa('runuser', ['-u', 'nobody', '--', 'env', `HOME=${cwd}`, 'PKGEXT=.pkg.tar', ...command], { cwd });

async function checkNix(setup: Setup, scratch: string): Promise<Outcome> {
  const store = {
    NIX_STORE_DIR: join(scratch, 'store'),
    NIX_STATE_DIR: join(scratch, 'state'),
    NIX_LOG_DIR: join(scratch, 'log'),
  };
  const options = { env: { ...store, HOME: scratch, NIX_CONFIG: 'build-users-group =\nsandbox = false' } };
  const packages = at(setup, 'nixpkgs/pkgs/by-name/*/*/package.nix');
  const facts = join(import.meta.dirname, 'package-facts.nix');
  let count = 0;
  for (const file of packages) {
    await execa('nix-instantiate', ['--parse', file], options);
    for (const system of ['x86_64-linux', 'aarch64-linux', 'aarch64-darwin']) {
      const args = [facts, '--arg', 'file', file, '--argstr', 'system', system, '-A'];
      const { stdout } = await execa(
        'nix-instantiate',
        ['--eval', '--strict', '--json', ...args, 'meta'],
        options,
      );
      const meta = parseJsonText(stdout) as { platforms: string[]; mainProgram: string };
      check(meta.platforms.length === 3 && meta.mainProgram !== '', `${file}: unexpected meta ${stdout}`);
      // Nix downloads the file and compares its hash.
      const text = `${file} ${system}`;
      await execa('nix-instantiate', ['--eval', '--json', '--read-write-mode', ...args, 'src'], options);
      if (system !== 'x86_64-linux') continue;
      const derivations = globSync('store/*-linux-x64.drv', { cwd: scratch });
      check(derivations.length > 0, `${text}: no download`);
      for (const derivation of derivations)
        await execa('nix-store', ['--realise', join(scratch, derivation)], options);
      count += derivations.length;
    }
    const args = [facts, '--arg', 'file', file, '--argstr', 'system', 'x86_64-darwin', '-A', 'src'];
    const { exitCode, stderr } = await execa('nix-instantiate', ['--eval', ...args], {
      ...options,
      reject: false,
    });
    check(
      exitCode !== 0 && stderr.includes('has no executable for x86_64-darwin'),
      `${file}: accepts Intel Macs`,
    );
  }
  return { facts: `${packages.length} packages, ${count} downloads` };
}

async function buildConda(setup: Setup, scratch: string): Promise<Outcome> {
  const recipe = join(setup.folder, 'staged-recipes/recipes/encoderfile/recipe.yaml');
  const script = join(import.meta.dirname, 'install_conda.py');
  const { stdout } = await execa(setup.python, [script, recipe, scratch], { env: { HOME: scratch } });
  const built = parseJsonText(stdout.trim().split('\n').at(-1) ?? '') as CondaFacts;
  const names = Object.entries(built.downloads).map(
    ([platform, files]) =>
      `${platform} ${files.map(({ url }) => url.slice(setup.server.url.length + 1)).join(' ')}`,
  );
  const expected = [
    'linux-64 encoderfile-linux-x64',
    'linux-aarch64 encoderfile-linux-arm64',
    'osx-arm64 encoderfile-macos-arm64',
    'win-64 encoderfile-windows-x64.exe',
  ].map((line) => `${line} NOTICES-encoderfile.txt`);
  check(names.join('\n') === expected.join('\n'), `unexpected downloads: ${names.join(', ')}`);
  check(
    built.depends.join() === '__glibc >=2.28,<3.0.a0',
    `unexpected dependencies: ${built.depends.join()}`,
  );
  return {
    installed: join(scratch, 'prefix/bin/encoderfile'),
    seconds: built.installSeconds,
    facts: `built in ${built.buildSeconds.toFixed(0)} s, package of ${(built.packageBytes / 1e6).toFixed(0)} MB`,
  };
}

interface CondaFacts {
  readonly downloads: Readonly<Record<string, readonly { readonly url: string }[]>>;
  readonly depends: readonly string[];
  readonly buildSeconds: number;
  readonly packageBytes: number;
  readonly installSeconds: number;
}

const MISE = join(import.meta.dirname, 'mise/node_modules/@jdxcode/mise-linux-x64/bin/mise');

/** The options of the registry entry, in a project with the server as GitHub. */
async function installWithMise(setup: Setup, scratch: string): Promise<Outcome> {
  const entry = readFileSync(join(setup.folder, 'mise/registry/encoderfile.toml'), 'utf8');
  const options = /\[backends\.options\]\n([^[]*)/.exec(entry)?.[1] ?? '';
  check(options.includes('asset_pattern = "encoderfile-'), 'the registry entry has no pattern');
  writeFileSync(
    join(scratch, 'mise.toml'),
    `[tools."github:${setup.repository}"]\nversion = "${setup.version}"\napi_url = "${setup.server.api}"\n${options}`,
  );
  return await mise(scratch, [['trust'], ['install']]);
}

/** Runs mise in an empty home folder. Returns the executable that it puts on the PATH. */
async function mise(
  scratch: string,
  commands: readonly (readonly string[])[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const home = join(scratch, 'home');
  mkdirSync(home, { recursive: true });
  const options = { cwd: scratch, env: { HOME: home, MISE_YES: '1', ...env }, extendEnv: true };
  const started = performance.now();
  for (const command of commands) await execa(MISE, command, options);
  const seconds = (performance.now() - started) / 1000;
  const { stdout } = await execa(MISE, ['which', 'encoderfile'], options);
  return { installed: stdout.trim(), seconds };
}

async function checkPlugins(setup: Setup): Promise<Outcome> {
  const scripts = at(setup, 'asdf-*/bin/*');
  await execa('shellcheck', scripts);
  return { facts: `${scripts.length} scripts` };
}

/** mise also runs plugins for asdf. */
async function installPlugin(setup: Setup, scratch: string): Promise<Outcome> {
  const plugin = await pluginRepository(setup, scratch);
  const env = { ENCODERFILE_REPOSITORY: plugin };
  const listed = await execa(join(plugin, 'bin/list-all'), { env });
  check(
    listed.stdout.trim() === `0.0.9 0.0.10-rc.1 ${setup.version}`,
    `unexpected versions: ${listed.stdout}`,
  );
  const name = 'encoderfile';
  await mise(scratch, [['plugin', 'install', name, `file://${plugin}`]], env).catch(() => undefined);
  return await mise(scratch, [['use', `${name}@${setup.version}`]], env);
}

/** A repository with the plugin and tags of versions. */
async function pluginRepository(setup: Setup, scratch: string): Promise<string> {
  const plugin = join(scratch, 'plugin');
  cpSync(join(setup.folder, 'asdf-encoderfile'), plugin, { recursive: true });
  const git = async (...args: string[]): Promise<void> => {
    await execa('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd: plugin });
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'Add the plugin');
  for (const version of [setup.version, '0.0.10-rc.1', '0.0.9']) await git('tag', `v${version}`);
  await git('tag', 'latest');
  return plugin;
}

async function rejectDownload(setup: Setup, scratch: string): Promise<Outcome> {
  const script = join(setup.folder, 'asdf-encoderfile/bin/download');
  setup.server.replace('encoderfile-linux-x64', 'another program');
  try {
    const env = { ASDF_INSTALL_VERSION: setup.version, ASDF_DOWNLOAD_PATH: join(scratch, 'download') };
    const { exitCode, stderr } = await execa(script, { env, reject: false });
    check(
      exitCode === 1 && /^Error: The download of encoderfile .* was discarded: its SHA-256 is /.test(stderr),
      stderr,
    );
    check(!existsSync(join(scratch, 'download/encoderfile')), 'the download was kept');
    return {};
  } finally {
    setup.server.replace('encoderfile-linux-x64', undefined);
  }
}

async function checkWinget(setup: Setup): Promise<Outcome> {
  const manifests = at(setup, 'winget-pkgs/manifests/*/*/*/*/*.yaml');
  for (const file of manifests) {
    const manifest = parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
    validate(
      setup,
      `manifest.${manifest['ManifestType']}.${manifest['ManifestVersion']}.json`,
      manifest,
      file,
    );
    const folder = `${manifest['PackageIdentifier']?.replaceAll('.', '/')}/${manifest['PackageVersion']}`;
    check(dirname(file).endsWith(`/e/${folder}`), `${file} is in the wrong folder`);
  }
  return { facts: `${manifests.length} manifests` };
}

async function checkScoop(setup: Setup): Promise<Outcome> {
  const manifests = at(setup, 'scoop-bucket/bucket/*.json');
  for (const file of manifests)
    validate(setup, 'scoop.json', parseJsonText(readFileSync(file, 'utf8')), file);
  return { facts: `${manifests.length} manifests` };
}

function validate({ schemas }: Setup, name: string, value: unknown, file: string): void {
  if (schemas === undefined) throw new Skipped('requires --schemas FOLDER');
  const schema = parseJsonText(readFileSync(join(schemas, name), 'utf8')) as object;
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  check(ajv.validate(schema, value), `${file}: ${ajv.errorsText()}`);
}

/** The maximums of Docker Hub. */
const MAX_SHORT = 100;
const MAX_FULL_BYTES = 25_000;

async function checkDockerHub(setup: Setup): Promise<Outcome> {
  const texts = at(setup, 'docker-hub/*/*/description.txt');
  for (const file of texts) {
    check(readFileSync(file, 'utf8').trim().length <= MAX_SHORT, `${file} is too long`);
    check(statSync(join(dirname(file), 'README.md')).size <= MAX_FULL_BYTES, `${file} is too long`);
  }
  return { facts: `${texts.length} images` };
}

async function runInstallScript(setup: Setup, scratch: string): Promise<Outcome> {
  const started = performance.now();
  await execa('sh', [join(setup.release, 'install.sh'), '--url', setup.server.url, '--dir', scratch]);
  return { installed: join(scratch, 'encoderfile'), seconds: (performance.now() - started) / 1000 };
}
