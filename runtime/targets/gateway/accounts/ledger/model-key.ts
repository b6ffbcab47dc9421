import { AppError } from '#contract/errors.ts';
import { parseModel } from '../../shared/model-string.ts';

/** The canonical key that a model's price is stored under. Throws an InputError for an invalid model string. */
export function modelKeyOf(text: string): string {
  const key = tryModelKey(text);
  if (key !== undefined) return key;
  const message = `Invalid model_key ${JSON.stringify(text.slice(0, 200))}. Use the format \`provider:model\`.`;
  throw new AppError('InputError', message, { details: [{ location: 'body.model_key', message }] });
}

/** The key for looking up a price. Invalid model strings are returned unchanged and have no price. */
export const findModelKey = (text: string): string => tryModelKey(text) ?? text;

/** A model's canonical key; undefined for an invalid model string. */
export function tryModelKey(text: string): string | undefined {
  const name = parseModel(text);
  return name && `${name.provider}:${name.model}`;
}
