import { type Static, Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { DEFAULT_IMAGE_TEMPLATE, planLabels } from '#core/model/label-plan.ts';
import { documented } from '#serve/http/documented.ts';
import { optional } from '#serve/http/schemas.ts';
import type { EngineInput, RunModel, ServingEngine } from '../engine/serving.ts';
import { readRenderedJson } from '../json/json.ts';
import { rankImageLabels } from '../math/image-labels.ts';
import { imageInputs } from '../engine/text-or-image.ts';
import { EXAMPLE_IMAGE, imageMember, imageMembers } from '../schemas/images.ts';
import { hasParameters, PARAMETERS_NOTE } from './hugging-face.ts';
import { predictions } from './sequence-classification.ts';
import type { BodyOf, ClientBatch, HuggingFaceTask, ServedType } from './served-type.ts';

/** The options have the same names as in the transformers pipeline. */
const optionsOf = ({ maxClientBatch }: ClientBatch) => ({
  candidate_labels: documented(
    Type.Array(Type.String({ minLength: 1, title: 'text' }), {
      minItems: 1,
      title: 'a list of texts',
      description: `Labels to score. At most ${maxClientBatch} per request.`,
    }),
    { maxItems: maxClientBatch },
  ),
  hypothesis_template: optional(
    documented(
      Type.String({
        default: DEFAULT_IMAGE_TEMPLATE,
        description: 'The text about a label that images are compared with; `{}` is replaced with the label.',
      }),
      { pattern: '\\{\\}' },
    ),
  ),
});

type Options = Pick<BodyOf<ReturnType<typeof optionsOf>>, 'candidate_labels' | 'hypothesis_template'>;

const result = Type.Object(
  {
    labels: Type.Array(Type.String(), { description: 'The labels, highest score first.' }),
    scores: Type.Array(Type.Number(), { description: 'The score of each label, in the same order.' }),
  },
  { $id: 'ZeroShotImageResult' },
);

function checkCount(labels: number, { maxClientBatch }: ClientBatch): void {
  if (labels <= maxClientBatch) return;
  throw inputError(
    `Too many labels: the request has ${labels}, but the maximum is ${maxClientBatch} (--max-client-batch). Split it into several requests.`,
  );
}

/** Runs the model on the images and on the texts about the labels, and compares their vectors. */
async function classify(
  { manifest, limits }: Pick<ServingEngine, 'manifest' | 'limits'>,
  images: readonly EngineInput[],
  { candidate_labels, hypothesis_template }: Options,
  run: RunModel,
): Promise<ReturnType<typeof rankImageLabels>[]> {
  const { labels, hypotheses } = planLabels({
    labels: candidate_labels,
    template: hypothesis_template ?? DEFAULT_IMAGE_TEMPLATE,
  });
  checkCount(labels.length, limits);
  const all = await vectorsOf(images, hypotheses, run);
  const vectors = all.slice(images.length);
  return all.slice(0, images.length).map((vector) => rankImageLabels(vector, { labels, vectors }, manifest));
}

/** The L2-normalized vectors of images and then of texts. */
async function vectorsOf(
  images: readonly EngineInput[],
  texts: readonly string[],
  run: RunModel,
): Promise<Float32Array[]> {
  const inputs = [...images, ...texts.map((text) => ({ text }))];
  const view = { kind: 'vector', format: 'base64', normalize: true } as const;
  const { results } = await run({ inputs, counted: images.length, view });
  return results.map((json) => {
    const bytes = Uint8Array.from(Buffer.from(String(readRenderedJson(json)), 'base64'));
    return new Float32Array(bytes.buffer);
  });
}

const foreignRequest = (limits: ClientBatch) =>
  Type.Object(
    { inputs: imageMember, parameters: Type.Object(optionsOf(limits)) },
    { $id: 'ZeroShotImageRequest' },
  );

const huggingFace: HuggingFaceTask<Static<ReturnType<typeof foreignRequest>>> = {
  request: (_, limits) => foreignRequest(limits),
  response: Type.Intersect([predictions], { $id: 'ZeroShotImageResponse' }),
  example: () => ({
    request: { inputs: EXAMPLE_IMAGE, parameters: { candidate_labels: ['a cat', 'a dog'] } },
    response: [
      { label: 'a dog', score: 0.98 },
      { label: 'a cat', score: 0.02 },
    ],
  }),
  isTheirs: hasParameters,
  note: PARAMETERS_NOTE,
  async answer(engine, { inputs, parameters }, run) {
    const [ranked] = await classify(engine, imageInputs([inputs]), parameters, run);
    return ranked?.labels.map((label, at) => ({ label, score: ranked.scores[at] }));
  },
};

export const servedZeroShotImageClassification: ServedType<
  BodyOf<ReturnType<typeof optionsOf>, string | Uint8Array>
> = {
  texts: {
    summary: 'Score the request’s labels for each image.',
    tool: 'Scores the candidate labels in the request for images, which are given in base64 or as data: URLs.',
  },
  request: (_, limits) => ({ inputs: imageMembers(limits.maxClientBatch), options: optionsOf(limits) }),
  result: () => result,
  example: () => ({
    request: { candidate_labels: ['a cat', 'a dog'], hypothesis_template: 'A photo of {}.' },
    result: { labels: ['a dog', 'a cat'], scores: [0.98, 0.02] },
  }),
  bench: () => ({ candidate_labels: ['person', 'place'] }),
  info: () => ({ zero_shot_image_classifier: {} }),
  predict: {
    together: async (engine, body, run) => await classify(engine, imageInputs(body.inputs), body, run),
  },
  huggingFace,
  grpc: async () =>
    (await import('#gen/encoder/zero_shot_image_classification_pb.ts')).ZeroShotImageClassification,
};
