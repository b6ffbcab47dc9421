import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { wheelTag } from '#cli/release/python/metadata.ts';
import { hostPlatform } from '#cli/packaging/plan.ts';
import { type Platform, shortName } from '#contract/platforms.ts';
import { printTable } from '../bench/measure/print.ts';
import { installPython } from '../helpers/install-python.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { type Installer, installersOf, type PythonVersion } from './installers.ts';
import { runExamples } from './examples.ts';
import { bundledPip, installInRoot } from './root.ts';

// `npm run test:python`: writes the wheels of a release and checks them with the tools of PyPI, installs the wheel for this machine without
// network and compilers in every usual way, and runs all tests of the package on the oldest and the newest installed Python, and the adapters with the
// libraries that they are for. An argument is the folder of a release to use. The wheels for other platforms are only checked by structure. Takes about ten minutes.

interface Row {
  readonly name: string;
  readonly result: string;
  readonly seconds?: number;
  readonly megabytes?: number;
  readonly build?: number;
}

const HERE = import.meta.dirname;
const PACKAGE = join(ROOT, 'python/encoderfile');
const MODEL = join(FIXTURES, 'models/sentiment');
const MINIMUM = 9;

const folder = mkdtempSync(join(tmpdir(), 'encoderfile-python-'));
try {
  process.exitCode = (await testPython()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function testPython(): Promise<boolean> {
  const tools = dirname(await installPython(join(HERE, 'tools.txt'), join(TEST_CACHE, 'python-tools')));
  const adapters = await installPython(
    join(ROOT, 'test/clients/requirements.txt'),
    join(TEST_CACHE, 'python-adapters'),
  );
  const pythons = await findPythons();
  const release = process.argv[2] ?? (await buildRelease());
  const rows: Row[] = [...(await checkFiles(release, tools)), ...(await checkSources(tools))];
  const [wheel = ''] = globSync(join(release, `python/*-${wheelTag(host())}.whl`));
  const canHide = (await execa('unshare', ['-rn', 'true'], { reject: false })).exitCode === 0;
  for (const installer of installersOf(wheel, pythons, tools)) {
    console.error(`${installer.name} ...`);
    rows.push(await tryInstaller(installer, canHide));
  }
  rows.push(await inRoot(wheel));
  const site = join(folder, 'site');
  await execa(tools + '/python', ['-m', 'pip', 'install', '--quiet', '--no-index', '--target', site, wheel]);
  for (const { program, version } of new Set([...pythons.slice(0, 1), ...pythons.slice(-1)]))
    rows.push(await runTests(`all tests, Python ${version}`, program, ['-m', 'unittest'], site));
  rows.push(await runTests('all tests with NumPy', adapters, ['-m', 'unittest'], site));
  rows.push(await runTests('adapters with their libraries', adapters, ['adapters.py'], site));
  rows.push(
    await check('examples in docs/python.md', () =>
      runExamples(adapters, join(folder, 'examples'), {
        PYTHONPATH: site,
        ENCODERFILE_CACHE_DIR: TEST_CACHE,
      }),
    ),
  );
  const text = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? '';
  printTable(
    ['check', 'result', 'seconds', 'MB', 'first build, s'],
    rows.map(({ name, result, seconds, megabytes, build }) => [
      name,
      result,
      text(seconds, 1),
      text(megabytes, 0),
      text(build, 1),
    ]),
  );
  return rows.every(({ result }) => result === 'passed' || result.startsWith('skipped'));
}

async function buildRelease(): Promise<string> {
  console.error('Building the release of encoderfile for all platforms ...');
  const release = join(folder, 'release');
  const main = join(ROOT, 'cli/release/main.ts');
  await execa(process.execPath, [main, '--program', 'encoderfile', '--out', release], { stdio: 'inherit' });
  return release;
}

function host(): Platform {
  return hostPlatform({ os: process.platform, cpu: process.arch });
}

/** Runs a check; its result is `passed`, or the reason why not. */
async function check(name: string, run: () => Promise<Partial<Row> | void>): Promise<Row> {
  const started = performance.now();
  try {
    const facts = await run();
    return { name, result: 'passed', seconds: (performance.now() - started) / 1000, ...facts };
  } catch (error) {
    console.error(messageOf(error));
    return { name, result: `failed: ${messageOf(error).split('\n').slice(0, 2).join(' ')}` };
  }
}

/** Checks the files for PyPI with its own tools. */
async function checkFiles(release: string, tools: string): Promise<Row[]> {
  const wheels = globSync(join(release, 'python/*.whl')).sort();
  const [sdist = ''] = globSync(join(release, 'python/*.tar.gz'));
  const python = join(tools, 'python');
  const rows = [
    await check('twine check --strict', async () => {
      await execa(python, ['-m', 'twine', 'check', '--strict', ...wheels, sdist]);
    }),
    await check('check-wheel-contents', async () => {
      await execa(join(tools, 'check-wheel-contents'), wheels);
    }),
    await check('installation of the sdist is rejected in one sentence', async () => {
      const { exitCode, all } = await execa(python, ['-m', 'pip', 'install', '--no-index', sdist], {
        reject: false,
        all: true,
      });
      const lines = all.match(/^.*Error: encoderfile .* cannot be built from this source distribution.*$/gm);
      if (exitCode !== 1 || lines?.length !== 1) throw new Error(all);
    }),
  ];
  for (const wheel of wheels) {
    const megabytes = statSync(wheel).size / 1e6;
    rows.push(
      await check(`structure of ${basename(wheel)}`, async () => {
        await execa(python, [join(HERE, 'verify_wheel.py'), wheel]);
        return { megabytes };
      }),
    );
    if (!wheel.includes('manylinux')) continue;
    rows.push(
      await check(`auditwheel show ${basename(wheel)}`, async () => {
        const { stdout } = await execa(python, ['-m', 'auditwheel', 'show', wheel]);
        if (!/consistent\s+with the following platform tag: "manylinux_2_28_/.test(stdout))
          throw new Error(stdout);
      }),
    );
  }
  return rows;
}

async function checkSources(tools: string): Promise<Row[]> {
  const mypy = (platform: string) => async (): Promise<void> => {
    const args = ['--strict', '--platform', platform, '--cache-dir', join(folder, 'mypy'), PACKAGE];
    await execa(join(tools, 'mypy'), [
      '--ignore-missing-imports',
      '--allow-subclassing-any',
      '--allow-untyped-decorators',
      ...args,
    ]);
  };
  return [
    await check('mypy --strict', mypy('linux')),
    await check('mypy --strict --platform win32', mypy('win32')),
    await check('ruff check', async () => {
      const rules = [
        '--select',
        'E,F,W,B,I',
        '--ignore',
        'B006',
        '--line-length',
        '140',
        '--target-version',
        'py39',
      ];
      await execa(join(tools, 'ruff'), ['check', '--no-cache', ...rules, join(ROOT, 'python'), HERE]);
    }),
    await check('vermin: Python 3.9', async () => {
      await execa(join(tools, 'vermin'), ['-t=3.9-', '--no-tips', '--violations', PACKAGE]);
    }),
  ];
}

async function tryInstaller(installer: Installer, canHide: boolean): Promise<Row> {
  const project = join(folder, installer.name.replaceAll(/\W+/g, '-'));
  mkdirSync(join(project, 'home'), { recursive: true });
  for (const [name, text] of Object.entries(installer.files ?? {})) writeFileSync(join(project, name), text);
  const env = {
    // Contains no compiler.
    PATH: [...new Set(installer.install.map(([file = '']) => dirname(resolve(project, file))))].join(
      delimiter,
    ),
    HOME: join(project, 'home'),
    PIP_NO_INDEX: '1',
    POETRY_VIRTUALENVS_IN_PROJECT: '1',
    ENCODERFILE_CACHE_DIR: join(project, 'cache'),
    ...(installer.path === undefined ? {} : { PYTHONPATH: join(project, installer.path) }),
  };
  const options = { cwd: project, env, extendEnv: false };
  return await check(installer.name, async () => {
    const started = performance.now();
    for (const [file = '', ...args] of installer.install) {
      const command = [resolve(project, file), ...args];
      const [first = '', ...rest] = canHide ? ['/usr/bin/unshare', '-rn', ...command] : command;
      await execa(first, rest, options);
    }
    const seconds = (performance.now() - started) / 1000;
    const { stdout } = await execa(join(project, installer.command), ['version'], options);
    if (!stdout.startsWith('encoderfile ')) throw new Error(`unexpected version: ${stdout}`);
    const script = [join(HERE, 'check_installed.py'), MODEL];
    const used = await execa(resolve(project, installer.python), script, options);
    const facts = parseJsonText(used.stdout) as { seconds: number; tool: string };
    return { seconds, build: facts.seconds, megabytes: bytesOf(join(project, installer.installed)) / 1e6 };
  });
}

/** The size of a folder. Virtual environments contain links to Python, which do not count. */
function bytesOf(path: string): number {
  const files = globSync('{*,.*}/**/*', { cwd: path, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

async function inRoot(wheel: string): Promise<Row> {
  const name = 'pip in a root with only Python, without network';
  const files = join(folder, 'files');
  mkdirSync(files);
  for (const file of [wheel, join(HERE, 'check_installed.py'), await bundledPip('python3')])
    cpSync(file, join(files, basename(file)));
  cpSync(MODEL, join(files, 'model'), { recursive: true });
  if (shortName(host()) !== 'linux-x64') return { name, result: 'skipped: requires linux-x64' };
  return await check(name, async () => {
    const { seconds } = parseJsonText(await installInRoot(folder, files)) as { seconds: number };
    return { build: seconds };
  });
}

async function runTests(name: string, python: string, args: readonly string[], site: string): Promise<Row> {
  console.error(`${name} ...`);
  return await check(name, async () => {
    const env = {
      PYTHONPATH: `${site}${delimiter}${HERE}`,
      PYTHONDONTWRITEBYTECODE: '1',
      ENCODERFILE_TEST_MODELS: join(folder, 'models'),
      ENCODERFILE_CACHE_DIR: TEST_CACHE,
    };
    mkdirSync(env.ENCODERFILE_TEST_MODELS, { recursive: true });
    await execa(python, args, { cwd: HERE, env });
  });
}

/** Every Python version on this machine that the package supports: on the PATH, and in pyenv. */
async function findPythons(): Promise<PythonVersion[]> {
  const names = Array.from({ length: 10 }, (_, at) => `python3.${MINIMUM + at}`);
  const pyenv = process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv');
  const candidates = [
    ...globSync(join(pyenv, 'versions/3.*/bin/python3')).sort(),
    ...(process.env['PATH'] ?? '').split(delimiter).flatMap((part) => names.map((name) => join(part, name))),
    'python3',
  ];
  const found = new Map<number, PythonVersion>();
  for (const candidate of candidates) {
    if (candidate !== 'python3' && !existsSync(candidate)) continue;
    const code = 'import sys, venv, ensurepip; print(sys.version_info[1], sys.executable)';
    const { exitCode, stdout } = await execa(candidate, ['-c', code], { reject: false });
    const [minor = '', program = ''] = stdout.split(' ');
    if (exitCode !== 0 || Number(minor) < MINIMUM || found.has(Number(minor))) continue;
    found.set(Number(minor), { program, version: `3.${minor}` });
  }
  return [...found].sort(([one], [other]) => one - other).map(([, python]) => python);
}
