import { type ProcessSample, type TreeUsage, treeUsage } from '#core/limits/tree-usage.ts';
import type { Clock } from '#platform/clock.ts';
import type { Supervisor } from './managed-server.ts';

/** Resource usage of a server's processes. */
export interface ServerUsage extends TreeUsage {
  /** Average number of CPUs in use since the previous sample; undefined after the first one. */
  readonly processors: number | undefined;
}

export interface UsageSampler {
  /** Returns the usage of servers whose processes run on this machine, by name. It can be several seconds old. */
  readonly read: () => Promise<ReadonlyMap<string, ServerUsage>>;
}

export interface UsageSamplerOptions {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  /** Undefined on systems where processes cannot be listed. */
  readonly readTable: () => Promise<readonly ProcessSample[] | undefined>;
}

const MIN_AGE_MS = 2000;
/** A sample that took long is used for longer, so that sampling takes at most this share of the time. */
const MAX_SHARE = 0.05;
/** An older sample is not returned; the reader waits for the next one. */
const MAX_AGE_MS = 30_000;

interface Sample {
  readonly at: number;
  readonly tookMs: number;
  readonly usage: ReadonlyMap<string, ServerUsage & { readonly pid: number }>;
}

/** Lists the processes when needed, and not again while the latest sample is recent. */
export function createUsageSampler({ supervisor, clock, readTable }: UsageSamplerOptions): UsageSampler {
  let latest: Sample | undefined;
  let running: Promise<Sample> | undefined;

  async function sample(): Promise<Sample> {
    const startedAt = clock.now();
    const rows = (await readTable()) ?? [];
    const at = clock.now();
    const heads = supervisor.names().flatMap((name): [string, number][] => {
      const server = supervisor.get(name);
      const pid = server?.status().pid;
      const launch = server?.spec().launch;
      // A container's processes do not descend from the docker command that starts it.
      const isOutside = launch?.kind !== 'process' || launch.container !== undefined;
      return pid === undefined || isOutside ? [] : [[name, pid]];
    });
    const trees = treeUsage(
      rows,
      heads.map(([, pid]) => pid),
    );
    const usage = new Map(
      heads.flatMap(([name, pid]) => {
        const tree = trees.get(pid);
        const before = latest?.usage.get(name);
        const span = latest === undefined ? 0 : (at - latest.at) / 1000;
        const isSame = before?.pid === pid && span > 0;
        const processors = isSame && tree ? Math.max(0, tree.seconds - before.seconds) / span : undefined;
        return tree ? [[name, { ...tree, pid, processors }] as const] : [];
      }),
    );
    latest = { at, tookMs: at - startedAt, usage };
    return latest;
  }

  return {
    async read() {
      const age = latest === undefined ? Number.POSITIVE_INFINITY : clock.now() - latest.at;
      const isRecent = latest !== undefined && age < Math.max(MIN_AGE_MS, latest.tookMs / MAX_SHARE);
      if (!isRecent) running ??= sample().finally(() => (running = undefined));
      if (latest !== undefined && age < MAX_AGE_MS) return latest.usage;
      return ((await running) ?? { usage: new Map() }).usage;
    },
  };
}
