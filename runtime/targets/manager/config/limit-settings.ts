import type { LaunchLimits } from './spec.ts';
import type { TableReader } from './table-reader.ts';

/** The keys of `[servers.limits]`. */
export const LIMIT_KEYS = ['memory', 'cpus', 'processes', 'required'] as const;

/** Reads `[servers.limits]`: what a server and everything that it starts can use together. */
export function readLimits(table: TableReader | undefined): LaunchLimits | undefined {
  if (!table) return undefined;
  return {
    memory: table.bytes('memory'),
    cpus: table.amount('cpus'),
    processes: table.count('processes', 1),
    required: table.flag('required') ?? false,
  };
}
