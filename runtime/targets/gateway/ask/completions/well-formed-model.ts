import { AppError } from '../../../../contract/errors.ts';
import type { Json } from '../shapes/chat.ts';

/** Throws an InputError for the name of a model that could stand in no URL: JSON can write half of a surrogate pair. */
export function requireWellFormedModel({ model }: Json): void {
  if (typeof model === 'string' && model.isWellFormed()) return;
  const message = 'model must be Unicode text; it has half of a surrogate pair';
  throw new AppError('InputError', message, { details: [{ location: 'body.model', message }] });
}
