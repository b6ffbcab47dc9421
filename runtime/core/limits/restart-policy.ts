/** When a server that exited or failed to start is restarted. All times are in milliseconds. */
export interface RestartPolicy {
  /** Maximum delay after the first failure. It doubles with every consecutive failure. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /**
   * A server that ran for `healthyAfter`, or handled `healthyResponses` requests, is considered
   * healthy: earlier failures are not counted, and the server is restarted immediately. Health
   * checks alone do not add up to `healthyResponses` before `healthyAfter`.
   */
  readonly healthyAfter: number;
  readonly healthyResponses: number;
  /** Number of consecutive failures that is considered a crash loop. */
  readonly crashLoopFailures: number;
  /** Interval between restarts in a crash loop. */
  readonly crashLoopDelay: number;
}

/**
 * With these values, ten consecutive failures take about 50 s on average, mostly for delays, and a
 * single crash delays the restart by at most 100 ms.
 * @internal
 */
export const RESTART_POLICY: RestartPolicy = {
  baseDelay: 100,
  maxDelay: 60_000,
  healthyAfter: 10_000,
  healthyResponses: 20,
  crashLoopFailures: 10,
  crashLoopDelay: 300_000,
};

export interface RestartDecision {
  /** Number of consecutive starts that failed or exited early. */
  readonly failures: number;
  readonly delay: number;
  readonly crashLoop: boolean;
}

/** A completed run of a server. */
export interface EndedRun {
  readonly ranFor: number;
  /** Number of requests that the server handled. */
  readonly responses?: number | undefined;
}

/**
 * Decides when to restart a server after a failed start (`run` is undefined) or an exit. The delay
 * is drawn uniformly from the allowed range ("full jitter"), so that servers that failed together
 * do not restart together.
 */
export function planRestart(
  failuresBefore: number,
  run: EndedRun | undefined,
  random: () => number,
  policy: RestartPolicy = RESTART_POLICY,
): RestartDecision {
  if (run && (run.ranFor >= policy.healthyAfter || (run.responses ?? 0) >= policy.healthyResponses)) {
    return { failures: 0, delay: 0, crashLoop: false };
  }
  const failures = failuresBefore + 1;
  if (failures >= policy.crashLoopFailures) {
    return { failures, delay: policy.crashLoopDelay, crashLoop: true };
  }
  const maxDelay = Math.min(policy.maxDelay, policy.baseDelay * 2 ** (failures - 1));
  return { failures, delay: random() * maxDelay, crashLoop: false };
}
