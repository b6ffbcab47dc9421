/** When a server that ended, or did not start, is started again. All times in milliseconds. */
export interface RestartPolicy {
  /** The first delay is at most this, and the most doubles with every failure that follows. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /** Whoever ran this long was healthy: what failed before is forgotten, and it is started again at once. */
  readonly healthyAfter: number;
  /** This many failures in a row are a crash loop. */
  readonly crashLoopFailures: number;
  /** In a crash loop it is tried this seldom. */
  readonly crashLoopDelay: number;
}

/** Ten failures in a row take about 50 s on average, most of it waiting; a kill that comes alone costs at most 100 ms. @internal */
export const RESTART_POLICY: RestartPolicy = {
  baseDelay: 100,
  maxDelay: 60_000,
  healthyAfter: 10_000,
  crashLoopFailures: 10,
  crashLoopDelay: 300_000,
};

export interface RestartDecision {
  /** Starts in a row that failed or ended early. */
  readonly failures: number;
  readonly delay: number;
  readonly crashLoop: boolean;
}

/**
 * What to do after a start that failed (`ranFor` undefined) or a run that ended. The delay is drawn evenly from all that is
 * allowed ("full jitter"), so that servers that fell together do not get up together.
 */
export function planRestart(
  failuresBefore: number,
  ranFor: number | undefined,
  random: () => number,
  policy: RestartPolicy = RESTART_POLICY,
): RestartDecision {
  if (ranFor !== undefined && ranFor >= policy.healthyAfter) {
    return { failures: 0, delay: 0, crashLoop: false };
  }
  const failures = failuresBefore + 1;
  if (failures >= policy.crashLoopFailures) {
    return { failures, delay: policy.crashLoopDelay, crashLoop: true };
  }
  const most = Math.min(policy.maxDelay, policy.baseDelay * 2 ** (failures - 1));
  return { failures, delay: random() * most, crashLoop: false };
}
