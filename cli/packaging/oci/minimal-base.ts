import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { USER_ID } from './image-config.ts';
import type { TarEntry } from './tar-stream.ts';
import { configError } from '#contract/errors.ts';
import { readElfNeeds } from '../binary/elf-needs.ts';
import { pushAll } from '#core/values/push-all.ts';

export interface MinimalBase {
  readonly entries: readonly TarEntry[];
  /** Whether the license texts of all copied libraries were found. */
  readonly hasLicenses: boolean;
}

/** The contents of a layer with only what an executable needs: libraries of this machine, a user, and a folder for temporary files. */
export async function minimalBase(program: Uint8Array): Promise<MinimalBase> {
  const libraries = (await findHostLibraries(program)).map(({ path, bytes }): TarEntry => ({
    type: 'file',
    path: path.slice(1),
    mode: 0o755,
    content: { bytes },
  }));
  const licenses = await licenseTexts();
  const files = [...libraries, ...licenses.flat(), ...ACCOUNT_FILES];
  return {
    entries: [...foldersOf(files), ...MOUNT_POINTS, ...files],
    hasLicenses: licenses.every((texts) => texts.length > 0),
  };
}

const text = (path: string, content: string): TarEntry => ({
  type: 'file',
  path,
  mode: 0o644,
  content: { bytes: new TextEncoder().encode(content) },
});

const ACCOUNT_FILES: readonly TarEntry[] = [
  text(
    'etc/passwd',
    `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${USER_ID}:${USER_ID}:nonroot:/nonexistent:/sbin/nologin\n`,
  ),
  text('etc/group', `root:x:0:\nnonroot:x:${USER_ID}:\n`),
  text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
];

const folder = (path: string, mode = 0o755): TarEntry => ({ type: 'folder', path, mode });

const MOUNT_POINTS: readonly TarEntry[] = [
  folder('dev'),
  folder('proc'),
  folder('sys'),
  folder('tmp', 0o1777),
];

/** Returns the parent folders of files, parents first. */
function foldersOf(files: readonly TarEntry[]): TarEntry[] {
  const paths = new Set<string>();
  for (const { path } of files)
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) paths.add(parent);
  return [...paths].toSorted().map((path) => folder(path));
}

/** Folders with the license texts of each library: packages of Debian, then of Fedora and its relatives. */
const LICENSE_FOLDERS: readonly (readonly string[])[] = [
  ['/usr/share/doc/libc6', '/usr/share/licenses/glibc'],
  ['/usr/share/doc/libstdc++6', '/usr/share/licenses/libstdc++', '/usr/share/licenses/libgcc'],
  ['/usr/share/doc/libgcc-s1', '/usr/share/doc/libgcc1', '/usr/share/licenses/libgcc'],
];

/** Texts that Debian's copyright files refer to. */
const COMMON_LICENSES = '/usr/share/common-licenses';

async function licenseTexts(): Promise<TarEntry[][]> {
  const texts: TarEntry[][] = [];
  for (const folders of LICENSE_FOLDERS) {
    const found = (await Promise.all(folders.map(textsIn))).find((one) => one.length > 0);
    texts.push(found ?? []);
  }
  const isDebian = texts.flat().some(({ path }) => path.startsWith('usr/share/doc/'));
  if (isDebian) texts.push(await textsIn(COMMON_LICENSES));
  return texts;
}

async function textsIn(of: string): Promise<TarEntry[]> {
  const isLicense = of.startsWith('/usr/share/doc/')
    ? (name: string): boolean => name === 'copyright'
    : (name: string): boolean => of !== COMMON_LICENSES || /^(L?GPL|GFDL)-[\d.]+$/.test(name);
  const names = (await readdir(of).catch(() => [])).filter(isLicense).toSorted();
  const texts = await Promise.all(
    names.map(async (name): Promise<TarEntry[]> => {
      const path = join(of, name);
      const bytes = await readFile(path).catch(() => undefined);
      return bytes === undefined
        ? []
        : [{ type: 'file', path: path.slice(1), mode: 0o644, content: { bytes } }];
    }),
  );
  return texts.flat();
}

/** A library of this machine, at the path where the loader finds it. */
interface HostLibrary {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Libraries that the executable loads later: its native libraries are compressed inside it and need librt, and older versions of glibc load
 * the others to resolve host names and users.
 */
const LOADED_LATER = ['librt.so.1', 'libpthread.so.0', 'libdl.so.2', 'libm.so.6'];
const LOADED_IF_PRESENT = ['libresolv.so.2', 'libnss_files.so.2', 'libnss_dns.so.2'];

/** Finds the loader and the libraries of a program, and the libraries that these need, among the files of this machine. */
async function findHostLibraries(program: Uint8Array): Promise<HostLibrary[]> {
  const { interpreter, libraries, machine } = readElfNeeds(program) ?? {};
  if (interpreter === undefined || libraries === undefined || machine === undefined)
    throw new Error('the base runtime has no dynamic loader');
  const loader = await readFile(interpreter).catch((error: unknown) => {
    throw missing(`${interpreter} is missing`, error);
  });
  const found = new Map<string, HostLibrary>();
  const folders = foldersFor(machine);
  const queue = [...libraries, ...LOADED_LATER, ...LOADED_IF_PRESENT];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (found.has(name) || interpreter.endsWith(`/${name}`)) continue;
    const library = await find(name, folders, machine);
    if (library !== undefined) {
      found.set(name, library);
      pushAll(queue, library.needs);
    } else if (!LOADED_IF_PRESENT.includes(name)) throw missing(`${name} is not in ${folders.join(', ')}`);
  }
  const sorted = [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return [{ path: interpreter, bytes: loader }, ...sorted.map(({ path, bytes }) => ({ path, bytes }))];
}

const EM_X86_64 = 62;

/** Folders that loaders of Debian, Fedora and their relatives search without a configuration. */
function foldersFor(machine: number): string[] {
  const triple = machine === EM_X86_64 ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu';
  return [`/lib/${triple}`, `/usr/lib/${triple}`, '/lib64', '/usr/lib64', '/lib', '/usr/lib'];
}

async function find(
  name: string,
  folders: readonly string[],
  machine: number,
): Promise<(HostLibrary & { readonly needs: readonly string[] }) | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    const bytes = await readFile(path).catch(() => undefined);
    const needs = bytes && readElfNeeds(bytes);
    // A folder can contain the library of another architecture, which the loader skips, too.
    if (bytes && needs?.machine === machine) return { path, bytes, needs: needs.libraries };
  }
  return undefined;
}

const missing = (what: string, cause?: unknown): Error =>
  configError(
    `This machine does not have the system libraries for an image: ${what}. Pass --base-image with an image that has glibc, libstdc++ and libgcc.`,
    cause,
  );
