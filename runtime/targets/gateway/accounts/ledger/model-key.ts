import { AppError } from '#contract/errors.ts';
import { codePoints } from '#core/text/code-points.ts';
import { parseModel } from '../../shared/model-string.ts';
import { MAX_TEXT_LENGTH } from '../fields/field.ts';

/** The canonical key that a model's price is stored under. Throws an InputError for an invalid model string. */
export function modelKeyOf(text: string): string {
  const key = tryModelKey(text);
  const isTooLong = codePoints(text) > MAX_TEXT_LENGTH;
  if (key !== undefined && !isTooLong) return key;
  const rule = isTooLong
    ? `The maximum is ${MAX_TEXT_LENGTH} characters.`
    : 'Use the format `provider:model`.';
  const message = `Invalid model_key ${JSON.stringify(text.slice(0, 200))}. ${rule}`;
  throw new AppError('InputError', message, { details: [{ location: 'body.model_key', message }] });
}

/** The key for looking up a price. Invalid model strings are returned unchanged and have no price. */
export const findModelKey = (text: string): string => tryModelKey(text) ?? text;

/** A model's canonical key; undefined for an invalid model string. */
export function tryModelKey(text: string): string | undefined {
  const name = parseModel(text);
  return name && `${name.provider}:${name.model}`;
}
