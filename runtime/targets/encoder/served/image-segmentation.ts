import { type Static, Type } from 'typebox';
import { oneOf, optional } from '#serve/http/schemas.ts';
import { asImageInput } from '../engine/image-input.ts';
import { readRenderedJson } from '../json/json.ts';
import { MASK_FORMATS } from '../math/masks.ts';
import { EXAMPLE_IMAGE, imageMember, imageMembers } from '../schemas/images.ts';
import type { ImageSegmentationResult } from '../tasks/image-segmentation.ts';
import { HUGGING_FACE_NOTE, isHuggingFaceBody } from './hugging-face.ts';
import { firstLabel, labelsOf } from './labels.ts';
import type { BodyOf, HuggingFaceTask, ServedType } from './served-type.ts';

const options = {
  mask: optional(
    oneOf(MASK_FORMATS, {
      default: 'rle',
      description: 'Form of the masks: run-length as in COCO, or PNG files.',
    }),
  ),
};

const mask = Type.Object(
  {
    size: Type.Array(Type.Integer(), {
      minItems: 2,
      maxItems: 2,
      description: 'Height and width of the image.',
    }),
    counts: Type.Array(Type.Integer(), {
      description:
        'Numbers of pixels outside and inside, in turn, column by column from the top, starting with pixels outside.',
    }),
  },
  { $id: 'RunLengthMask', description: 'The pixels in the uncompressed run-length form of COCO.' },
);

const segment = Type.Object(
  {
    label: Type.String(),
    score: Type.Null({ description: 'Labels of pixels have no score.' }),
    area: Type.Integer({ description: 'Number of pixels.' }),
    share: Type.Number({ description: 'Share of the image, from 0 to 1.' }),
    mask: Type.Optional(mask),
    png: Type.Optional(
      Type.String({
        description:
          'The pixels as a grey PNG file of the size of the image, in base64: 255 inside, 0 outside. Only with `mask: png`.',
      }),
    ),
  },
  { $id: 'Segment' },
);

const result = Type.Object(
  {
    segments: Type.Array(segment, {
      description:
        'The labels that were found, in the order of the model’s labels. Each pixel has one label.',
    }),
  },
  { $id: 'ImageSegmentationResult' },
);

const foreignRequest = Type.Object(
  {
    inputs: imageMember,
    parameters: optional(
      Type.Object({
        subtask: optional(oneOf(['semantic'], { description: 'Models of this type have no other subtask.' })),
      }),
    ),
  },
  { $id: 'SegmentImageRequest' },
);

/** The smallest mask, for examples: one white pixel. */
const EXAMPLE_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAtK+UbgAAAABJRU5ErkJggg==';

const huggingFace: HuggingFaceTask<Static<typeof foreignRequest>> = {
  request: () => foreignRequest,
  response: Type.Array(
    Type.Object(
      {
        label: Type.String(),
        score: Type.Null({ description: 'Labels of pixels have no score.' }),
        mask: Type.String({
          description:
            'A grey PNG file of the size of the image, in base64: 255 for pixels with the label, 0 for others.',
        }),
      },
      { $id: 'SegmentMask' },
    ),
    { $id: 'SegmentImageResponse' },
  ),
  example: (manifest) => ({
    request: { inputs: EXAMPLE_IMAGE },
    response: [{ label: firstLabel(manifest), score: null, mask: EXAMPLE_PNG }],
  }),
  isTheirs: isHuggingFaceBody,
  note: HUGGING_FACE_NOTE,
  async answer(_, { inputs }, run) {
    const { results } = await run({
      inputs: [asImageInput(inputs)],
      view: { kind: 'result', format: 'json', options: { mask: 'png' } },
    });
    const [{ segments } = { segments: [] }] = results.map(
      (one) => readRenderedJson(one) as ImageSegmentationResult,
    );
    return segments.map(({ label, score, png }) => ({ label, score, mask: png }));
  },
};

export const servedImageSegmentation: ServedType<BodyOf<typeof options, string>> = {
  texts: {
    summary: 'Find the label of each pixel of images.',
    tool: 'Finds the label of each pixel of images, which are given in base64 or as data: URLs. Returns the share of each label and a mask.',
  },
  request: (_, { maxClientBatch }) => ({ inputs: imageMembers(maxClientBatch), options }),
  result: () => result,
  example: (manifest) => ({
    request: { mask: 'rle' },
    result: {
      segments: [
        {
          label: firstLabel(manifest),
          score: null,
          area: 1,
          share: 1,
          mask: { size: [1, 1], counts: [0, 1] },
        },
      ],
    },
  }),
  info: (manifest) => ({ image_segmenter: labelsOf(manifest) }),
  predict: { plan: (_, { mask: format }) => ({ options: { mask: format ?? undefined } }) },
  huggingFace,
  grpc: async () => (await import('#gen/encoder/image_segmentation_pb.ts')).ImageSegmentation,
};
