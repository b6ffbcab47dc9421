import { remember } from '#core/limits/remember.ts';

/** The requests in flight to each target, and the targets' speeds, as seen by this process. */
export interface TargetLoads {
  /** Counts a request as in flight until the returned function is called. */
  start(key: string): () => void;
  running(key: string): number;
  /** Records how long a target took: to a stream's first output, or per output token of a complete response. */
  measured(key: string, kind: SpeedKind, milliseconds: number, now: number): void;
  /** Moving average over the latest responses; undefined if there were no recent responses. */
  speed(key: string, kind: SpeedKind): number | undefined;
  /**
   * Whether to try a target although another one is faster. If it returns true, the target's next trial is
   * postponed.
   */
  takeTrial(key: string, now: number): boolean;
  /** The targets with requests in flight or a speed. */
  keys(): readonly string[];
  forget(isReplaced: (key: string) => boolean): void;
}

export type SpeedKind = 'stream' | 'whole';

interface Speed {
  readonly average: number;
  readonly at: number;
}

/** Weight of a new measurement in the average. */
const NEWEST_SHARE = 0.3;

/**
 * An average older than this is replaced by the next measurement, because it no longer describes the
 * target.
 */
const OUTDATED_MS = 30_000;

/** Minimum time between two trials of a target. */
const TRIAL_INTERVAL_MS = 5000;

export function createTargetLoads(): TargetLoads {
  const running = new Map<string, number>();
  const speeds: Readonly<Record<SpeedKind, Map<string, Speed>>> = { stream: new Map(), whole: new Map() };
  const trials = new Map<string, number>();
  return {
    start(key) {
      running.set(key, (running.get(key) ?? 0) + 1);
      let isRunning = true;
      return () => {
        if (!isRunning) return;
        isRunning = false;
        const left = (running.get(key) ?? 1) - 1;
        if (left === 0) running.delete(key);
        else running.set(key, left);
      };
    },
    running: (key) => running.get(key) ?? 0,
    measured(key, kind, milliseconds, now) {
      const before = speeds[kind].get(key);
      const isOutdated = !before || now - before.at > OUTDATED_MS;
      const average = isOutdated
        ? milliseconds
        : before.average + NEWEST_SHARE * (milliseconds - before.average);
      remember(speeds[kind], key, { average, at: now });
    },
    speed: (key, kind) => speeds[kind].get(key)?.average,
    takeTrial(key, now) {
      const last = trials.get(key);
      if (last !== undefined && now - last < TRIAL_INTERVAL_MS) return false;
      remember(trials, key, now);
      return true;
    },
    keys: () => [...running.keys(), ...speeds.stream.keys(), ...speeds.whole.keys()],
    forget(isReplaced) {
      for (const map of [speeds.stream, speeds.whole, trials])
        for (const key of [...map.keys()].filter(isReplaced)) map.delete(key);
    },
  };
}
