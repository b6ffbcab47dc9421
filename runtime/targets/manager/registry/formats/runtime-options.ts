import { isInherited } from '../../config/child-environment.ts';
import type { PackageRuntime } from '../../config/package-launch.ts';
import { literal } from './format.ts';
import { splitImage, splitVersion } from './packages.ts';

/** What a registry's npx, uvx or docker arguments mean for a server. */
export interface RuntimeOptions {
  /** The package's program. */
  readonly bin?: string | undefined;
  /** Additional requirements of a uvx package. */
  readonly extra: readonly string[];
  /** Variables with values from the registry. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables whose values the user must provide. */
  readonly openEnv: readonly string[];
  readonly volumes: Readonly<Record<string, string>>;
  /** The package named by an argument, and the arguments after the options and the package. */
  readonly package?: string | undefined;
  readonly rest: readonly string[];
  /** Unsupported options, with their values. */
  readonly unsupported: readonly string[];
}

type Meaning = 'env' | 'volume' | 'mount' | 'network' | 'package' | 'requirement';

/** Options that this program sets itself, or that only affect the runtime's output. */
const IGNORED: Readonly<Record<PackageRuntime, ReadonlySet<string>>> = {
  npx: new Set(['-y', '--yes', '-q', '--quiet', '--']),
  uvx: new Set(['-q', '--quiet', '--no-progress', '--']),
  docker: new Set(['run', '-i', '--interactive', '--rm', '--init']),
};

/** Options that take a value. */
const VALUED: Readonly<Record<PackageRuntime, Readonly<Record<string, Meaning>>>> = {
  npx: { '-p': 'package', '--package': 'package' },
  uvx: { '--from': 'package', '--with': 'requirement' },
  docker: {
    '-e': 'env',
    '--env': 'env',
    '-v': 'volume',
    '--volume': 'volume',
    '--mount': 'mount',
    '--net': 'network',
    '--network': 'network',
  },
};

/**
 * Whether a variable affects which program or package runs, or where it comes from. Registries can list such
 * variables, but not set them: the package that `add` prints must be the one that runs.
 */
export const changesWhatRuns = (name: string): boolean =>
  isInherited(name, process.platform) || /^(?:NODE_|LD_|DYLD_|PYTHON|BASH_ENV$|ENV$|GIT_)/i.test(name);

/** A value for the user to fill in: `{name}`, or `${NAME}` in mcpm files. */
const PLACEHOLDER = /\$?\{(\w+)\}/;

/**
 * Parses the arguments between a runtime and the server's own arguments. `identifier` is the package, if the
 * registry lists it separately. Unsupported options are returned, because they could change what runs.
 */
export function readRuntimeOptions(
  runtime: PackageRuntime,
  args: readonly string[],
  identifier?: string,
): RuntimeOptions {
  const extra: string[] = [];
  const env: Record<string, string> = {};
  const openEnv: string[] = [];
  const volumes: Record<string, string> = {};
  const unsupported: string[] = [];
  let from: string | undefined;

  const use = (meaning: Meaning, value: string): boolean => {
    if (meaning === 'network') return value === 'host';
    if (meaning === 'requirement') {
      if (!/^[A-Za-z\d]/.test(value) || PLACEHOLDER.test(value)) return false;
      extra.push(value);
    } else if (meaning === 'package') {
      if (from !== undefined || !isSamePackage(value, identifier)) return false;
      from = value;
    } else if (meaning === 'env') {
      const [, name = '', text] = /^([^=]*)(?:=([^]*))?$/.exec(value) ?? [];
      if (name === '') return false;
      if (text !== undefined && PLACEHOLDER.test(text)) openEnv.push(name);
      else if (text !== undefined && changesWhatRuns(name)) return false;
      else if (text !== undefined) env[name] = literal(text);
    } else {
      const volume = meaning === 'mount' ? readMount(value) : readVolume(value);
      if (!volume) return false;
      volumes[volume[0]] = volume[1];
    }
    return true;
  };

  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (IGNORED[runtime].has(arg)) continue;
    if (!arg.startsWith('-')) break;
    const [, written, inline] = /^(--?[^=]+)=([^]*)$/.exec(arg) ?? [];
    const name = written ?? arg;
    const meaning = meaningOf(runtime, name);
    if (!meaning) {
      unsupported.push(arg);
      continue;
    }
    if (inline === undefined) at += 1;
    const value = inline ?? args[at] ?? '';
    if (!use(meaning, value)) unsupported.push(inline === undefined ? `${name} ${value}` : arg);
  }
  const [first, ...others] = args.slice(at);
  const common = { extra, env, openEnv, volumes, unsupported };
  // After an option that contains the package, the first word is the program.
  if (from !== undefined) return { ...common, package: from, bin: first, rest: others };
  return { ...common, package: first, rest: others };
}

function meaningOf(runtime: PackageRuntime, name: string): Meaning | undefined {
  const valued = VALUED[runtime];
  return Object.hasOwn(valued, name) ? valued[name] : undefined;
}

/** Whether a runtime option takes a value. */
export const takesValue = (runtime: PackageRuntime, name: string): boolean =>
  meaningOf(runtime, name) !== undefined;

/** Whether a text refers to the package, with any version or tag. */
export const isSamePackage = (text: string, identifier: string | undefined): boolean =>
  identifier === undefined || [text, splitVersion(text).name, splitImage(text).name].includes(identifier);

/** Parses `{name}:/path`. Fixed folders from another machine are not used. */
function readVolume(text: string): readonly [name: string, path: string] | undefined {
  const [, name, path] = /^\$?\{(\w+)\}:(\/[^:{}]*)(?::\w+)?$/.exec(text) ?? [];
  return name === undefined || path === undefined ? undefined : [name, path];
}

/** Parses `type=bind,src={name},dst=/path`. */
function readMount(text: string): readonly [name: string, path: string] | undefined {
  const members = new Map(
    text.split(',').map((part): [string, string] => {
      const end = part.indexOf('=');
      return end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)];
    }),
  );
  if (members.get('type') !== 'bind') return undefined;
  const from = members.get('source') ?? members.get('src') ?? '';
  const to = members.get('target') ?? members.get('destination') ?? members.get('dst') ?? '';
  return readVolume(`${from}:${to}`);
}
