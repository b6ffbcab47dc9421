import { type Static, Type } from 'typebox';
import { oneOf, optional } from '#serve/http/schemas.ts';
import type { RequestOverflow } from '../engine/serving.ts';

/** Booleans are the values of text-embeddings-inference, words those of Cohere. */
const TRUNCATE = [true, false, 'NONE', 'START', 'END', null] as const;
const DIRECTIONS = ['right', 'left', 'Right', 'Left'] as const;

/** Members of a request for texts that are longer than the model supports. */
export const overflowMembers = {
  truncate: Type.Optional(
    Type.Unsafe<(typeof TRUNCATE)[number]>({
      enum: [...TRUNCATE],
      description:
        'Whether to truncate texts that are too long: `false` or `NONE` refuses them, `true` truncates, `START` ' +
        'removes tokens at the start and `END` at the end. Default: the setting of the server.',
    }),
  ),
  truncation_direction: optional(
    oneOf(DIRECTIONS, {
      description: 'The side to remove tokens from. Default: the setting of the model.',
    }),
  ),
};

type OverflowMembers = {
  readonly [Name in keyof typeof overflowMembers]?: Static<(typeof overflowMembers)[Name]>;
};

/** `truncate` with a side takes precedence over `truncation_direction`. */
export function overflowOf({ truncate, truncation_direction: direction }: OverflowMembers): RequestOverflow {
  const side = direction ? (direction.toLowerCase() === 'left' ? 'left' : 'right') : undefined;
  if (truncate === false || truncate === 'NONE') return { rule: 'error', side };
  if (truncate === 'START') return { rule: 'truncate', side: 'left' };
  if (truncate === 'END') return { rule: 'truncate', side: 'right' };
  return truncate ? { rule: 'truncate', side } : { side };
}
