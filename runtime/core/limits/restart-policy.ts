/** When a server that exited or failed to start is restarted. All times are in milliseconds. */
export interface RestartPolicy {
  /** Maximum of the first delay; it doubles with every consecutive failure. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /**
   * A server that ran this long, or handled this many requests, counts as healthy: earlier failures
   * are forgotten, and it is restarted immediately. Health checks alone do not reach this number
   * before that time.
   */
  readonly healthyAfter: number;
  readonly healthyResponses: number;
  /** Number of consecutive failures that counts as a crash loop. */
  readonly crashLoopFailures: number;
  /** Interval between restarts in a crash loop. */
  readonly crashLoopDelay: number;
}

/**
 * Ten consecutive failures take about 50 s on average, most of it waiting; an isolated kill costs
 * at most 100 ms. @internal
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
  /** Number of requests that it handled. */
  readonly responses?: number | undefined;
}

/**
 * Decides what to do after a failed start (`run` is undefined) or an exit. The delay is drawn
 * uniformly from the allowed range ("full jitter"), so that servers that failed together do not
 * restart together.
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
