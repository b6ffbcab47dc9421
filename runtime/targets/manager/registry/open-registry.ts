import { configError } from '../../../contract/errors.ts';
import { readText } from '../../../platform/read-text.ts';
import { builtinRegistry } from './builtin.ts';
import type { RegistryEntry } from './entry.ts';
import { readRegistry } from './read-registry.ts';

/** Returns the servers of the registry files and the built-in ones. If an ID is listed repeatedly, the first one wins. */
export async function openRegistry(files: readonly string[]): Promise<RegistryEntry[]> {
  const entries = (await Promise.all(files.map((file) => readFile(file)))).flat();
  const byId = new Map<string, RegistryEntry>();
  for (const entry of [...entries, ...builtinRegistry()]) if (!byId.has(entry.id)) byId.set(entry.id, entry);
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function readFile(path: string): Promise<RegistryEntry[]> {
  const file = await readText(path);
  if (!file) throw configError(`The registry ${path} does not exist. Choose another file with --registry.`);
  return readRegistry(file);
}
