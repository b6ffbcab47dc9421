import type { Report } from '../../config/problems.ts';
import { describeValue, isTable, readTable, type TableReader } from '../../config/table-reader.ts';
import type { RegistryEntry } from '../entry.ts';

/** The readable servers in a registry. */
export interface RegistryContents {
  readonly entries: readonly RegistryEntry[];
  readonly skipped: readonly SkippedServer[];
}

/** A server that is invalid, or that this program cannot run. */
export interface SkippedServer {
  /** The ID, or the position in the list. */
  readonly id: string;
  readonly source: string;
  /** The reason, as a sentence. */
  readonly reason: string;
}

/** A registry format. */
export interface RegistryFormat {
  /** Returns the servers with their IDs if a document has this format. */
  readonly servers: (document: unknown) => readonly ListedServer[] | undefined;
  readonly readEntry: (table: TableReader, listed: ListedServer, source: string) => RegistryEntry | undefined;
}

export interface ListedServer {
  /** The ID; empty if the ID is one of the server's fields. */
  readonly id: string;
  readonly value: unknown;
}

/** Parses each server separately: an invalid one, or one without a usable package, is skipped. */
export function readEntries(
  { readEntry }: Pick<RegistryFormat, 'readEntry'>,
  servers: readonly ListedServer[],
  source: string,
): RegistryContents {
  const entries: RegistryEntry[] = [];
  const skipped: SkippedServer[] = [];
  for (const [index, listed] of servers.entries()) {
    const problems: string[] = [];
    const report: Report = (_path, message) => void problems.push(message);
    if (!isTable(listed.value)) report([], `it must be an object, not ${describeValue(listed.value)}.`);
    const table = readTable(isTable(listed.value) ? listed.value : {}, { path: [], label: '', report });
    const entry = readEntry(table, listed, source);
    const [reason] = problems;
    const id = listed.id || entry?.id || `number ${index + 1}`;
    if (reason !== undefined) skipped.push({ id, source, reason });
    else if (entry) entries.push(entry);
  }
  return { entries, skipped };
}

/** Parses a list of tables, for example a server's packages. */
export function tablesIn(table: TableReader | undefined, key: string): TableReader[] {
  const value = table?.any(key);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    table?.report(`${key} must be a list, not ${describeValue(value)}.`);
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const label = `${key}[${index}]`;
    if (isTable(item)) {
      return [readTable(item, { path: [], label, report: (_path, message) => table?.report(message) })];
    }
    table?.report(`${label} must be an object, not ${describeValue(item)}.`);
    return [];
  });
}

/** Returns a display-only value; anything but a string becomes empty. */
export const plain = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Escapes dollar signs in registry text: it must not reference variables of this machine. */
export const literal = (text: string): string => text.replaceAll('$', '$$$$');
