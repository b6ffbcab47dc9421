import { type TSchema, Type } from 'typebox';
import { openObject } from './endpoint.ts';

/**
 * The forms of `input` with texts and images: a string, or a list of strings and of objects as in Jina's
 * API. What a model reads, and how many inputs it accepts, is determined by its provider.
 */
export function inputForms({ minLength }: { readonly minLength: number }): readonly [TSchema, TSchema] {
  const description = 'A text, or an image in base64 or as a `data:` URL.';
  const item = Type.String({ minLength, title: 'a text', description });
  const text = openObject({ text: item }, { title: 'an object with a text' });
  const image = openObject({ image: item }, { title: 'an object with an image' });
  const items = Type.Array(Type.Union([item, text, image]), {
    minItems: 1,
    title: 'a list of texts or images',
  });
  return [item, items];
}

/** The string of an input, which can be an object. */
export function inputString(input: unknown): string {
  if (typeof input === 'string') return input;
  const { text, image } = input as { readonly text?: string; readonly image?: string };
  return image ?? text ?? '';
}
