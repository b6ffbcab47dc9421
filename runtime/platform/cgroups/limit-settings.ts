import { LIMIT_NAMES, type ProcessLimits } from '#core/limits/process-limits.ts';
import type { Controller } from './cgroup-paths.ts';

interface Setting {
  readonly file: string;
  readonly value: string;
  /** Whether the file is missing in some kernels, where the limit works without it. */
  readonly optional?: true;
}

const PERIOD_US = 100_000;
/** The kernel refuses a smaller share of a period. */
const MIN_QUOTA_US = 1000;

const quota = (cpus: number): number => Math.max(MIN_QUOTA_US, Math.round(cpus * PERIOD_US));

/** Which files of a cgroup hold a limit, in both versions of cgroups. Swap does not extend the memory of a server. */
const SETTINGS: Readonly<
  Record<
    keyof ProcessLimits,
    { controller: Controller; unified: (n: number) => Setting[]; legacy: (n: number) => Setting[] }
  >
> = {
  memory: {
    controller: 'memory',
    unified: (bytes) => [
      { file: 'memory.max', value: String(bytes) },
      { file: 'memory.swap.max', value: '0', optional: true },
      { file: 'memory.oom.group', value: '1', optional: true },
    ],
    legacy: (bytes) => [
      { file: 'memory.limit_in_bytes', value: String(bytes) },
      { file: 'memory.memsw.limit_in_bytes', value: String(bytes), optional: true },
    ],
  },
  cpus: {
    controller: 'cpu',
    unified: (cpus) => [{ file: 'cpu.max', value: `${quota(cpus)} ${PERIOD_US}` }],
    legacy: (cpus) => [
      { file: 'cpu.cfs_period_us', value: String(PERIOD_US) },
      { file: 'cpu.cfs_quota_us', value: String(quota(cpus)) },
    ],
  },
  processes: {
    controller: 'pids',
    unified: (count) => [{ file: 'pids.max', value: String(count) }],
    legacy: (count) => [{ file: 'pids.max', value: String(count) }],
  },
};

export interface LimitSettings {
  readonly name: keyof ProcessLimits;
  readonly controller: Controller;
  readonly unified: readonly Setting[];
  readonly legacy: readonly Setting[];
}

/** Returns the settings of the limits that are set. Pure. */
export function limitSettings(limits: ProcessLimits): LimitSettings[] {
  return LIMIT_NAMES.flatMap((name) => {
    const value = limits[name];
    if (value === undefined) return [];
    const { controller, unified, legacy } = SETTINGS[name];
    return [{ name, controller, unified: unified(value), legacy: legacy(value) }];
  });
}
