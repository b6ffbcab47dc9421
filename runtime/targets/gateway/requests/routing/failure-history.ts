/**
 * How often a target failed when it was up, so that random failures are not taken for an outage. If 3 of 10 calls fail, 5 failures in a
 * row happen every few hundred calls.
 */
export interface FailureHistory {
  /** Share of the last calls that failed, without those of outages. */
  readonly share: number;
  /** Number of calls, up to `MEMORY`. */
  readonly seen: number;
}

const MEMORY = 50;
/** The breaker opens after so many failures in a row that random failures would cause them this rarely. */
const MAX_CHANCE = 1e-7;
/** A target that fails more often than not is stopped at some time in any case. */
const MAX_FAILURES = 50;
/** A smaller share does not matter. */
const MIN_SHARE = 0.001;

/** The history after a number of failures in a row that a success has ended. Undefined if the target fails too rarely to matter. */
export function withRun(history: FailureHistory | undefined, failures: number): FailureHistory | undefined {
  if (!history && failures === 0) return undefined;
  let { share, seen } = history ?? { share: 0, seen: 0 };
  for (let index = 0; index <= failures; index += 1) {
    seen = Math.min(MEMORY, seen + 1);
    share += ((index < failures ? 1 : 0) - share) / seen;
  }
  return share < MIN_SHARE ? undefined : { share, seen };
}

/** How many failures in a row open the breaker: `failures` for a target that rarely fails, more for others. */
export function failuresToOpen(history: FailureHistory | undefined, failures: number): number {
  if (!history) return failures;
  const needed = Math.ceil(Math.log(MAX_CHANCE) / Math.log(Math.min(0.99, history.share)));
  return Math.max(failures, Math.min(MAX_FAILURES, needed));
}
