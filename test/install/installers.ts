import { join } from 'node:path';

const TOOLS = join(import.meta.dirname, 'node_modules');
const nodeOf = (version: string): string => join(TOOLS, `node${version}`, 'bin', 'node');
const NPM = join(TOOLS, 'npm', 'bin', 'npm-cli.js');
const YARN = join(TOOLS, '@yarnpkg', 'cli-dist', 'bin', 'yarn.js');

const BUN = join(TOOLS, '@oven', 'bun-linux-x64-baseline', 'bin', 'bun');

/** A way to install a package: its commands, and how to start the installed command. */
export interface Installer {
  readonly name: string;
  readonly node: string;
  /** Commands to run in the project, in order. */
  readonly install: readonly (readonly string[])[];
  readonly start: readonly string[];
  /** How to run a script that imports the package; undefined if scripts cannot import it. */
  readonly script?: readonly string[];
  /** Project files, in addition to an empty package.json and an .npmrc with the registry. */
  readonly files?: (registry: string) => Readonly<Record<string, string>>;
}

/** Every package manager, and npm on every supported version of Node. `name` is the package, and `command` is its command. */
export function installersOf(name: string, command: string): Installer[] {
  const npm = (version: string): Installer => {
    const node = nodeOf(version);
    return {
      name: `npm install, Node ${version}`,
      node,
      install: [[node, NPM, 'install', '--save-dev', name]],
      start: [node, NPM, 'exec', '--offline', '--', command],
      script: [node],
    };
  };
  const node = nodeOf('24');
  const yarnFiles = (linker: string) => (registry: string) => ({
    '.yarnrc.yml':
      `nodeLinker: ${linker}\nnpmRegistryServer: ${registry}\nunsafeHttpWhitelist: ["127.0.0.1"]\n` +
      'enableScripts: false\nenableGlobalCache: false\nenableTelemetry: false\nnpmMinimalAgeGate: 0\n' +
      // Without it, Plug'n'Play only supports `require`, unless the project itself is an ES module.
      'pnpEnableEsmLoader: true\n',
    'yarn.lock': '',
  });
  return [
    npm('20'),
    npm('22'),
    npm('24'),
    {
      name: 'npm install --global',
      node,
      install: [[node, NPM, 'install', '--global', '--prefix', 'global', name]],
      start: [join('global', 'bin', command)],
    },
    { name: 'npx', node, install: [], start: [node, NPM, 'exec', '--yes', '--', name] },
    {
      name: 'pnpm add',
      node,
      install: [[node, join(TOOLS, 'pnpm', 'bin', 'pnpm.mjs'), 'add', name]],
      start: [join('node_modules', '.bin', command)],
      script: [node],
    },
    {
      name: 'yarn 1',
      node,
      install: [[node, join(TOOLS, 'yarn', 'bin', 'yarn.js'), 'add', '--ignore-scripts', name]],
      start: [join('node_modules', '.bin', command)],
      script: [node],
    },
    {
      name: 'yarn 4, node_modules',
      node,
      install: [[node, YARN, 'add', name]],
      start: [node, YARN, 'run', command],
      script: [node],
      files: yarnFiles('node-modules'),
    },
    {
      name: "yarn 4, Plug'n'Play",
      node,
      install: [[node, YARN, 'add', name]],
      start: [node, YARN, 'run', command],
      script: [node, YARN, 'node'],
      files: yarnFiles('pnp'),
    },
    {
      name: 'bun add',
      node,
      install: [[BUN, 'add', '--ignore-scripts', name]],
      start: [join('node_modules', '.bin', command)],
      script: [BUN],
    },
  ];
}
