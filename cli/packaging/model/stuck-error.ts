import { AppError } from '#contract/errors.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** The error for a graph that has not ended its run in time: the process of ONNX Runtime was ended with it. */
export function stuckError(
  model: string,
  ids: readonly (readonly number[])[],
  { message }: AppError,
): AppError {
  const shape = `[${ids.length}, ${greatest(ids.map((row) => row.length))}]`;
  return new AppError(
    'ConfigError',
    `${model} did not finish a run with inputs of shape ${shape}: ${message}. ` +
      'Export it again without a loop that does not end; if only its longest text takes so long, set `max_length` to less.',
    { reason: STUCK },
  );
}

export const isStuck = (error: unknown): boolean => error instanceof AppError && error.reason === STUCK;

const STUCK = 'graph_stuck';
