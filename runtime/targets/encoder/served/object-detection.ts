import { type Static, Type } from 'typebox';
import { DEFAULT_THRESHOLD } from '#contract/detection.ts';
import type { Manifest } from '#contract/manifest.ts';
import { optional } from '#serve/http/schemas.ts';
import { asImageInput } from '../engine/image-input.ts';
import { readRenderedJson } from '../json/json.ts';
import { EXAMPLE_IMAGE, imageMember, imageMembers } from '../schemas/images.ts';
import { atLeastOne } from '../schemas/texts.ts';
import type { ObjectDetectionResult } from '../tasks/object-detection.ts';
import { HUGGING_FACE_NOTE, isHuggingFaceBody } from './hugging-face.ts';
import { firstLabel, labelsOf } from './labels.ts';
import type { BodyOf, HuggingFaceTask, ServedType } from './served-type.ts';

const defaultThreshold = ({ detection }: Manifest): number => detection?.threshold ?? DEFAULT_THRESHOLD;

const thresholdOf = (manifest: Manifest) =>
  optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: defaultThreshold(manifest),
      description: 'Score threshold: only objects with a higher score are returned.',
    }),
  );

const optionsOf = (manifest: Manifest) => ({
  threshold: thresholdOf(manifest),
  top_k: optional(
    Type.Integer({
      minimum: 1,
      description: 'Maximum number of objects, highest score first. Default: all.',
    }),
  ),
});

const found = (corner: Parameters<typeof cornersOf>[0], name: string, of: string) =>
  Type.Array(
    Type.Object(
      { label: Type.String(), score: Type.Number(), box: Type.Object(cornersOf(corner)) },
      { $id: name },
    ),
    { description: `Objects in the image, highest score first. Boxes are in ${of}.` },
  );

/** The corners of a box: left, top, right and bottom. */
const cornersOf = (corner: ReturnType<typeof Type.Number> | ReturnType<typeof Type.Integer>) => ({
  xmin: corner,
  ymin: corner,
  xmax: corner,
  ymax: corner,
});

const result = Type.Object(
  { objects: found(Type.Number(), 'FoundObject', 'pixels of the image as it was sent') },
  { $id: 'ObjectDetectionResult' },
);

const foreignRequest = (manifest: Manifest) =>
  Type.Object(
    {
      inputs: imageMember,
      parameters: optional(Type.Object({ threshold: thresholdOf(manifest) })),
    },
    { $id: 'DetectObjectsRequest' },
  );

/** The Inference API returns whole pixels, rounded toward zero as in the pipeline of transformers. */
const huggingFace: HuggingFaceTask<Static<ReturnType<typeof foreignRequest>>> = {
  request: foreignRequest,
  response: Type.Intersect([found(Type.Integer(), 'DetectedObject', 'whole pixels')], {
    $id: 'DetectObjectsResponse',
  }),
  example: (manifest) => ({
    request: { inputs: EXAMPLE_IMAGE, parameters: { threshold: defaultThreshold(manifest) } },
    response: [{ label: firstLabel(manifest), score: 0.98, box: { xmin: 12, ymin: 5, xmax: 87, ymax: 64 } }],
  }),
  isTheirs: isHuggingFaceBody,
  note: HUGGING_FACE_NOTE,
  async answer(_, { inputs, parameters }, run) {
    const { results } = await run({
      inputs: [asImageInput(inputs)],
      view: { kind: 'result', format: 'json', options: { threshold: parameters?.threshold ?? undefined } },
    });
    const [{ objects } = { objects: [] }] = results.map(
      (one) => readRenderedJson(one) as ObjectDetectionResult,
    );
    return objects.map(({ label, score, box: { xmin, ymin, xmax, ymax } }) => ({
      label,
      score,
      box: {
        xmin: Math.trunc(xmin),
        ymin: Math.trunc(ymin),
        xmax: Math.trunc(xmax),
        ymax: Math.trunc(ymax),
      },
    }));
  },
};

export const servedObjectDetection: ServedType<BodyOf<ReturnType<typeof optionsOf>, string>> = {
  texts: {
    summary: 'Find objects in each image.',
    tool: 'Finds objects in images, which are given in base64 or as data: URLs. Returns labels and boxes in pixels.',
  },
  request: (manifest, { maxClientBatch }) => ({
    inputs: imageMembers(maxClientBatch),
    options: optionsOf(manifest),
  }),
  result: () => result,
  example: (manifest) => ({
    request: { threshold: defaultThreshold(manifest), top_k: 10 },
    result: {
      objects: [
        {
          label: firstLabel(manifest),
          score: 0.98,
          box: { xmin: 12.25, ymin: 5.5, xmax: 87.75, ymax: 64.125 },
        },
      ],
    },
  }),
  info: (manifest) => ({ object_detector: labelsOf(manifest) }),
  predict: {
    plan: (_, { threshold: minimum, top_k }) => ({
      options: { threshold: minimum ?? undefined, topK: atLeastOne('top_k', top_k) },
    }),
  },
  huggingFace,
  grpc: async () => (await import('#gen/encoder/object_detection_pb.ts')).ObjectDetection,
};
