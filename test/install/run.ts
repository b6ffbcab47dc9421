import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { installLocked } from '../helpers/install-locked.ts';
import { FIXTURES, ROOT } from '../helpers/paths.ts';
import { type Installer, installersOf } from './installers.ts';
import { type Registry, startRegistry } from './registry.ts';

// `npm run test:install`: publishes a release to a loopback registry and installs it from there with every package manager, without install
// scripts. Each installation of encoderfile builds an executable and runs it. Takes a few minutes.

interface Result {
  readonly name: string;
  readonly seconds: number;
  readonly megabytes: number;
  readonly problem?: string;
}

/** A program that uses the package as a library. */
const LIBRARY = `import { open } from 'encoderfile';
try {
  const model = await open('sentiment.encoder');
  console.log(JSON.stringify(await model.predict(['I love this'])));
  await model.close();
} catch (error) {
  console.log(error.message);
}`;

await installLocked(import.meta.dirname, 'a registry and package managers');
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-install-'));
try {
  process.exitCode = (await testInstallers(folder)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function testInstallers(folder: string): Promise<boolean> {
  const release = join(folder, 'release');
  console.error('Building the release for all platforms ...');
  const main = join(ROOT, 'cli/release/main.ts');
  await execa(process.execPath, [main, '--out', release], { stdio: ['ignore', 'inherit', 'inherit'] });
  const registry = await startRegistry(join(folder, 'registry'));
  try {
    for (const file of globSync(join(release, 'npm', '*.tgz')).sort()) await publish(file, registry, folder);
    const results: Result[] = [];
    for (const [index, installer] of installersOf('encoderfile', 'encoderfile').entries()) {
      console.error(`${installer.name} ...`);
      results.push(await tryInstaller(installer, join(folder, `project-${index}`), registry));
    }
    for (const program of ['mcp-manager', 'gateway']) {
      const [installer] = installersOf(`@encoderfile/${program}`, program);
      if (installer) results.push(await tryServer(installer, program, join(folder, program), registry));
    }
    printResults(results);
    return results.every(({ problem }) => problem === undefined);
  } finally {
    await registry.close();
  }
}

/** Installs a package, then builds a model and runs it. */
async function tryInstaller(installer: Installer, project: string, registry: Registry): Promise<Result> {
  const { seconds, megabytes, run, runScript } = await install(installer, project, registry);
  try {
    await run('build', '-f', 'model/encoderfile.yml', '-o', 'sentiment.encoder');
    const { stdout } = await execa(join(project, 'sentiment.encoder'), ['infer', 'I love this']);
    if (!stdout.includes('0.99527925')) throw new Error(`unexpected result: ${stdout}`);
    const failed = await run('build', '-f', 'missing.yml').catch((error: unknown) => error);
    if (!(failed instanceof Error && /missing\.yml/.test(failed.message)))
      throw new Error('a missing config file is not an error');
    if (installer.script) await tryLibrary(installer.name, runScript);
    return { name: installer.name, seconds, megabytes };
  } catch (error) {
    return { name: installer.name, seconds, megabytes, problem: messageOf(error) };
  }
}

/** Runs the model in a program. Node 20 is too old for this. */
async function tryLibrary(name: string, runScript: (file: string) => Promise<string>): Promise<void> {
  const printed = await runScript('library.mjs');
  const expected = name.endsWith('Node 20') ? 'requires Node 22.3 or newer' : '0.99527925';
  if (!printed.includes(expected)) throw new Error(`the library printed ${printed}`);
}

async function tryServer(
  installer: Installer,
  program: string,
  project: string,
  registry: Registry,
): Promise<Result> {
  const name = `@encoderfile/${program}: ${installer.name}`;
  const { seconds, megabytes, run } = await install(installer, project, registry);
  try {
    if (!(await run('version')).startsWith(`${program} `)) throw new Error('unexpected version');
    return { name, seconds, megabytes };
  } catch (error) {
    return { name, seconds, megabytes, problem: messageOf(error) };
  }
}

interface Installed {
  readonly seconds: number;
  readonly megabytes: number;
  /** Runs the installed command. */
  readonly run: (...args: string[]) => Promise<string>;
  /** Runs a script of the project. */
  readonly runScript: (file: string) => Promise<string>;
}

async function install(
  { node, install: commands, start, script = [], files }: Installer,
  project: string,
  registry: Registry,
): Promise<Installed> {
  mkdirSync(project, { recursive: true });
  cpSync(join(FIXTURES, 'models/sentiment'), join(project, 'model'), { recursive: true });
  const texts = {
    'package.json': '{"name": "project", "version": "1.0.0", "private": true}',
    'library.mjs': LIBRARY,
    '.npmrc': `registry=${registry.url}\nignore-scripts=true\naudit=false\nfund=false\n`,
    ...files?.(registry.url),
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(project, name), text);
  const options = {
    cwd: project,
    extendEnv: false,
    env: {
      PATH: `${dirname(node)}:/usr/bin:/bin`,
      // Separate caches, so that no files come from an earlier installation.
      HOME: join(project, '.home'),
      npm_config_registry: registry.url,
      BUN_CONFIG_REGISTRY: registry.url,
      YARN_REGISTRY: registry.url,
    },
  };
  const run = async ([file = '', ...args]: readonly string[]): Promise<string> =>
    (await execa(file, args, { ...options, preferLocal: false, localDir: project })).stdout;
  const absolute = (command: readonly string[]): string[] =>
    command.map((word, at) => (at === 0 && !word.startsWith('/') ? join(project, word) : word));
  const started = performance.now();
  for (const command of commands) await run(absolute(command));
  // npx installs on the first command.
  if (commands.length === 0) await run([...absolute(start), 'version']);
  const seconds = (performance.now() - started) / 1000;
  return {
    seconds,
    megabytes: installedBytes(project) / 1e6,
    run: (...args) => run([...absolute(start), ...args]),
    runScript: (file) => run([...script, file]),
  };
}

/** The size of the installed packages, without caches and lock files. Hard links count once. */
function installedBytes(project: string): number {
  const seen = new Set<number>();
  const files = globSync('{node_modules,node_modules/.pnpm,global,.yarn/unplugged,.home/.npm/_npx}/**/*', {
    cwd: project,
  });
  return files
    .map((file) => statSync(join(project, file)))
    .filter((found) => found.isFile() && !seen.has(found.ino) && seen.add(found.ino))
    .reduce((sum, { size }) => sum + size, 0);
}

async function publish(file: string, { url }: Registry, folder: string): Promise<void> {
  const token = `${url.replace('http:', '')}:_authToken=none`;
  const userconfig = join(folder, 'publish.npmrc');
  writeFileSync(userconfig, `${token}\nregistry=${url}\n`);
  const npm = join(import.meta.dirname, 'node_modules/npm/bin/npm-cli.js');
  await execa(process.execPath, [npm, 'publish', file, '--access', 'public', '--userconfig', userconfig], {
    cwd: folder,
    env: { npm_config_registry: url },
  });
}

function printResults(results: readonly Result[]): void {
  console.log('| installation | result | seconds | MB |\n|---|---|---|---|');
  for (const { name, seconds, megabytes, problem } of results) {
    console.log(`| ${name} | ${problem ?? 'works'} | ${seconds.toFixed(1)} | ${megabytes.toFixed(0)} |`);
  }
}

function messageOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  // Node prints the place of an error before its message.
  const problem = lines.slice(1).find((line) => /^\w*Error\b/.test(line));
  return [...lines.slice(0, 1), ...(problem === undefined ? lines.slice(1, 3) : [problem])].join(' ');
}
