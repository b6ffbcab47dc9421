const TRIES = 5;

/** The minimum duration in milliseconds over several runs, which is least affected by other load. */
export async function fastestOf(measure: () => Promise<number>): Promise<number> {
  let fastest = Infinity;
  for (let attempt = 0; attempt < TRIES; attempt += 1) fastest = Math.min(fastest, await measure());
  return fastest;
}
