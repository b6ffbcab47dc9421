import type { IncomingHttpHeaders } from 'node:http';

/** Milliseconds in the units of `grpc-timeout`. */
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** Node's timers hold 31 bits of milliseconds, 24 days; longer ones fire at once. */
const LONGEST = 2 ** 31 - 1;

/**
 * Takes out deadlines that are too far away for a timer. Clients that mean "no deadline" send such: a century, or the
 * largest number their language has.
 */
export function dropDistantDeadline(headers: IncomingHttpHeaders): void {
  const [, amount, unit] = /^(\d+)([HMSmun])$/.exec(String(headers['grpc-timeout'])) ?? [];
  if (Number(amount) * (UNITS[unit ?? ''] ?? 0) > LONGEST) delete headers['grpc-timeout'];
  if (Number(headers['connect-timeout-ms']) > LONGEST) delete headers['connect-timeout-ms'];
}
