import { join } from 'node:path';

/** A way to install a wheel: its commands, and the Python and the command afterwards. */
export interface Installer {
  readonly name: string;
  /** Commands to run in the project folder, in order. Programs with relative names are in the environment of the tools. */
  readonly install: readonly (readonly string[])[];
  /** Python that can import the package, relative to the project folder. */
  readonly python: string;
  /** Folders for PYTHONPATH, relative to the project folder. */
  readonly path?: string;
  /** The command `encoderfile`, relative to the project folder. */
  readonly command: string;
  /** Folder with the installed files, relative to the project folder. */
  readonly installed: string;
  readonly files?: Readonly<Record<string, string>>;
}

export interface PythonVersion {
  readonly program: string;
  /** For example 3.12. */
  readonly version: string;
}

const POETRY_PROJECT = `[project]
name = "project"
version = "1.0.0"
requires-python = ">=3.9"

[tool.poetry]
package-mode = false
`;

/** Every way to install `wheel`, and pip on every Python version. */
export function installersOf(
  wheel: string,
  pythons: readonly PythonVersion[],
  tools: string,
): readonly Installer[] {
  const newest = pythons.at(-1) ?? { program: 'python3', version: '3' };
  const tool = (name: string): string => join(tools, name);
  const inVenv = { python: 'env/bin/python', command: 'env/bin/encoderfile', installed: 'env' };
  return [
    ...pythons.map(({ program, version }) => ({
      name: `pip, Python ${version}`,
      install: [
        [program, '-m', 'venv', 'env'],
        ['env/bin/python', '-m', 'pip', 'install', '--no-index', wheel],
      ],
      ...inVenv,
    })),
    {
      name: 'pip install --target',
      install: [[newest.program, '-m', 'pip', 'install', '--no-index', '--target', 'site', wheel]],
      python: newest.program,
      path: 'site',
      command: 'site/bin/encoderfile',
      installed: 'site',
    },
    {
      name: 'pip install --user',
      install: [[newest.program, '-m', 'pip', 'install', '--no-index', '--user', wheel]],
      python: newest.program,
      command: 'home/.local/bin/encoderfile',
      installed: 'home/.local',
    },
    {
      name: 'uv pip install',
      install: [
        [tool('uv'), 'venv', '--offline', '--no-project', '--python', newest.program, 'env'],
        [tool('uv'), 'pip', 'install', '--offline', '--no-index', '--python', 'env/bin/python', wheel],
      ],
      ...inVenv,
    },
    {
      name: 'uv tool install',
      install: [
        [tool('uv'), 'tool', 'install', '--offline', '--no-index', '--python', newest.program, wheel],
      ],
      python: 'home/.local/share/uv/tools/encoderfile/bin/python',
      command: 'home/.local/bin/encoderfile',
      installed: 'home/.local/share/uv/tools',
    },
    {
      name: 'pipx install',
      install: [[tool('pipx'), 'install', '--python', newest.program, '--pip-args=--no-index', wheel]],
      python: 'home/.local/share/pipx/venvs/encoderfile/bin/python',
      command: 'home/.local/bin/encoderfile',
      installed: 'home/.local/share/pipx/venvs',
    },
    {
      name: 'poetry add',
      install: [[tool('poetry'), 'add', '--no-interaction', wheel]],
      python: '.venv/bin/python',
      command: '.venv/bin/encoderfile',
      installed: '.venv',
      files: { 'pyproject.toml': POETRY_PROJECT },
    },
  ];
}
