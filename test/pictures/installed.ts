import { cpSync, existsSync, globSync, linkSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { hostPlatform } from '#cli/packaging/plan.ts';
import { executableName } from '#cli/release/programs.ts';
import { shortName } from '#contract/platforms.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { onTerminal } from '../helpers/terminal.ts';
import type { Step } from './terminal-svg.ts';

/** A release of the build tool for this machine. */
interface Installed {
  readonly wheel: string;
  /** An empty project, in which `encoderfile` is on the PATH. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface InstalledPicture {
  readonly name: string;
  readonly title: string;
  readonly record: (installed: Installed) => Promise<Step[]>;
}

/** Terminals with the installed build tool. */
export const INSTALLED_PICTURES: readonly InstalledPicture[] = [
  {
    name: 'folder.svg',
    title: 'encoderfile without arguments in a folder with models',
    record: recordFolder,
  },
  { name: 'try.svg', title: 'encoderfile try: a result with one command', record: recordTry },
  { name: 'python.svg', title: 'From pip install to a result in Python', record: recordPython },
];

/** Writes the release on first use. */
export async function useRelease(release: string): Promise<Installed> {
  const platform = hostPlatform({ os: process.platform, cpu: process.arch });
  if (!existsSync(release)) {
    const options = [
      '--program',
      'encoderfile',
      '--platform',
      shortName(platform),
      '--cache-dir',
      TEST_CACHE,
    ];
    await execa(process.execPath, [join(ROOT, 'cli/release/main.ts'), '--out', release, ...options], {
      stdio: 'inherit',
    });
  }
  const parent = mkdtempSync(`${release}-`);
  const project = join(parent, 'project');
  const bin = join(parent, 'bin');
  for (const path of [project, bin]) mkdirSync(path);
  linkSync(join(release, 'bin', executableName('encoderfile', platform)), join(bin, 'encoderfile'));
  const [wheel = ''] = globSync(join(release, 'python/*.whl'));
  const env = {
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    ENCODERFILE_CACHE_DIR: join(parent, 'cache'),
    NO_COLOR: '1',
  };
  return { wheel, project, env };
}

/** A folder with a model, its executable and another model. */
async function recordFolder({ project, env }: Installed): Promise<Step[]> {
  for (const model of ['sentiment', 'ner'])
    cpSync(join(FIXTURES, 'models', model), join(project, model), { recursive: true });
  const options = { cwd: project, env };
  await execa('encoderfile', ['build', '--quiet', 'sentiment', '-o', 'sentiment.encoder'], options);
  const list = await execa('ls', [], options);
  const { output } = await onTerminal(['encoderfile'], options);
  return [
    { command: 'ls', output: list.stdout.replaceAll('\n', '  ') },
    { command: 'encoderfile', output: stripVTControlCharacters(output).trimEnd() },
  ];
}

async function recordTry({ project, env }: Installed): Promise<Step[]> {
  cpSync(join(FIXTURES, 'models/sentiment'), join(project, 'sentiment'), { recursive: true });
  const tried = async (text: string): Promise<Step> => {
    const { all } = await execa('encoderfile', ['try', 'sentiment', text], { cwd: project, env, all: true });
    return { command: `encoderfile try sentiment ${JSON.stringify(text)}`, output: all };
  };
  // The second command uses the executable of the first one.
  return [await tried('I love this'), await tried('I hate this')];
}

const SCRIPT = `import encoderfile

model = encoderfile.build("sentiment")
print(model.path.split("/")[-1], model.model_type)
for result in model.predict(["I love this", "I hate this"]):
    print(result["predicted_label"], max(result["scores"]))
`;

async function recordPython({ wheel, project, env }: Installed): Promise<Step[]> {
  cpSync(join(FIXTURES, 'models/sentiment'), join(project, 'sentiment'), { recursive: true });
  writeFileSync(join(project, 'demo.py'), SCRIPT);
  const options = { cwd: project, env, all: true } as const;
  await execa('python3', ['-m', 'venv', 'venv'], options);
  const python = join(project, 'venv/bin/python');
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-index', wheel];
  const installed = await execa(python, pip, options);
  const ran = await execa(python, ['demo.py'], options);
  return [
    {
      command: `pip install ./${basename(wheel)}`,
      output: installed.all.replaceAll(`${dirname(wheel)}/`, './').replaceAll(/^Looking in .*\n/gm, ''),
    },
    { command: 'cat demo.py', output: SCRIPT.trimEnd() },
    { command: 'python demo.py', output: ran.all },
  ];
}
