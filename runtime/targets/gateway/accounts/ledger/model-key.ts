import { AppError } from '../../../../contract/errors.ts';
import { parseModel } from '../../shared/model-string.ts';

/** Under which name a model's price is found: as routing calls it, however it is written. Throws an InputError. */
export function modelKeyOf(text: string): string {
  const key = tryModelKey(text);
  if (key !== undefined) return key;
  const message = `The model_key ${JSON.stringify(text.slice(0, 200))} names no model; write \`provider:model\`.`;
  throw new AppError('InputError', message, { details: [{ location: 'body.model_key', message }] });
}

/** The same for looking it up: what names no model has no price either. */
export const findModelKey = (text: string): string => tryModelKey(text) ?? text;

/** Undefined for what names no model. */
export function tryModelKey(text: string): string | undefined {
  const name = parseModel(text);
  return name && `${name.provider}:${name.model}`;
}
