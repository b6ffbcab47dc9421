import { inputError } from '#contract/errors.ts';
import { type Lane, LANES, MAX_INTERACTIVE_TOKENS } from '../engine/lanes.ts';

/** The request header, and the gRPC metadata, that chooses the lane of a request. */
export const PRIORITY = 'Priority';

export const PRIORITY_DESCRIPTION = `Requests with \`interactive\` run before requests with \`bulk\`. Default: \`interactive\` for requests of at most ${MAX_INTERACTIVE_TOKENS} tokens.`;

/**
 * Reads the header. Browsers and proxies send it too, with the values of RFC 9218, in which `u=7`
 * means background work. Other values of this kind do not choose a lane.
 */
export function readPriority(value: string | null | undefined): Lane | undefined {
  if (value === null || value === undefined) return undefined;
  const word = value.trim().toLowerCase();
  const lane = LANES.find((known) => known === word);
  if (lane) return lane;
  const members = word.split(',').map((member) => member.trim());
  if (!members.every((member) => /^(u=-?\d+|i(=\?[01])?)?(;.*)?$/.test(member)))
    throw inputError(
      `The header ${PRIORITY} must be ${LANES.join(' or ')}, not ${JSON.stringify(value)}. Without it, small requests are interactive.`,
    );
  return members.includes('u=7') ? 'bulk' : undefined;
}
