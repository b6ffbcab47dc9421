import {
  filledText,
  hint,
  isRecord,
  numberShape,
  objectOf,
  oneOfShape,
  type Shape,
  type ShapeOfParams,
  textShape,
} from './shape.ts';

const lifetime: Shape = (value) => (value === null ? null : numberShape(value));

const members = {
  taskId: filledText,
  status: oneOfShape('working', 'input_required', 'completed', 'failed', 'cancelled'),
  statusMessage: hint(textShape),
  pollInterval: hint(numberShape),
  pollIntervalMs: hint(numberShape),
};

const task = objectOf(members);

/** The state of a task, of both forms: with `ttl` up to revision 2025-11-25, and with `ttlMs` since 2026-07-28. */
export const taskShape: Shape<ShapeOfParams & { readonly taskId: string }> = (value) => {
  const shaped = task(value);
  for (const key of ['ttl', 'ttlMs']) if (shaped[key] !== undefined) lifetime(shaped[key]);
  return shaped;
};

/** Returns the state of a task that a server created instead of returning the result of a tool; undefined for a result. */
export function createdTask(
  result: ShapeOfParams,
): (ShapeOfParams & { readonly taskId: string }) | undefined {
  if (result['resultType'] === 'task') {
    const { resultType: _, _meta: __, ...state } = result;
    return taskShape(state);
  }
  return isRecord(result['task']) ? taskShape(result['task']) : undefined;
}
