import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { readElfNeeds } from '../binary/elf-needs.ts';
import { pushAll } from '#core/values/push-all.ts';

/** A library of this machine, at the path where the loader finds it. */
export interface HostLibrary {
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
export async function findHostLibraries(program: Uint8Array): Promise<HostLibrary[]> {
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
