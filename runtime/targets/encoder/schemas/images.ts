import { Type } from 'typebox';
import { documented } from '#serve/http/documented.ts';
import { MESSAGE_KEYWORD } from '#serve/http/explain-problems.ts';
import { NO_IMAGE, SMALLEST_IMAGE } from '../engine/image-input.ts';
import { NOT_EMPTY, textMember } from './texts.ts';

const NO_IMAGE_NOTE = { [MESSAGE_KEYWORD]: NO_IMAGE };

/** An image in a JSON document. */
export const imageMember = Type.String({
  minLength: 1,
  title: 'an image',
  description:
    'A JPEG, PNG, WebP or GIF file in base64, or as a `data:` URL. Other URLs require `--allow-image-urls`.',
  ...NO_IMAGE_NOTE,
});

export const imageMembers = (maxInputs: number) =>
  documented(
    Type.Array(imageMember, {
      minItems: 1,
      title: 'a list of images',
      description: `Images in base64 or as \`data:\` URLs. At most ${maxInputs} per request.`,
      ...NO_IMAGE_NOTE,
    }),
    { maxItems: maxInputs },
  );

/** An image, or a list of images, each also as an object, as in Jina's API. */
export const imagesInLists = (maxInputs: number) =>
  Type.Union([
    imageMember,
    documented(
      Type.Array(Type.Union([imageMember, Type.Object({ image: imageMember })]), {
        minItems: 1,
        title: 'a list of images',
        ...NO_IMAGE_NOTE,
      }),
      { maxItems: maxInputs },
    ),
  ]);

/** A text, or an image, of a model that reads both. */
export const textOrImage = Type.Union([
  Type.String({
    minLength: 1,
    title: 'a text or an image',
    description: 'A text, or an image as a `data:` URL.',
    ...NOT_EMPTY,
  }),
  Type.Object({ text: textMember }, { title: 'a text' }),
  Type.Object({ image: imageMember }, { title: 'an image' }),
]);

export const textsAndImagesMembers = (maxInputs: number) =>
  documented(
    Type.Array(textOrImage, {
      minItems: 1,
      title: 'a list of texts and images',
      description: `Texts and images, in any order. At most ${maxInputs} per request.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

/** A text or an image, or a list of them, as in Jina's API. */
export const textsAndImagesInLists = (maxInputs: number) =>
  Type.Union([textOrImage, textsAndImagesMembers(maxInputs)]);

/** The smallest image, for examples: one white pixel. */
export const EXAMPLE_IMAGE = `data:image/gif;base64,${SMALLEST_IMAGE.text}`;
