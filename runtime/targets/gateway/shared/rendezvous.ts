interface Weighted {
  readonly name: string;
  /** A choice with weight 0 comes after all others. */
  readonly weight: number;
}

/**
 * Sorts choices for a session by weighted rendezvous hashing: every process computes the same order without
 * shared state, each choice comes first for a share of the sessions that is proportional to its weight, and
 * if a choice is removed, only its own sessions get another first choice.
 */
export function orderForSession<Choice extends Weighted>(
  choices: readonly Choice[],
  session: string,
): Choice[] {
  // The choice with the shortest exponentially distributed time comes first, and weights are the rates.
  const timed = choices.map((choice) => {
    const { name, weight } = choice;
    const time = -Math.log(1 - fractionOf(`${session} ${name}`));
    return { choice, isLast: weight === 0, time: weight === 0 ? time : time / weight };
  });
  timed.sort((one, other) => Number(one.isLast) - Number(other.isLast) || one.time - other.time);
  return timed.map(({ choice }) => choice);
}

/** A number of at least 0 and below 1 that depends on all characters of a text (FNV-1a, mixed like MurmurHash3). */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
