import { type Static, Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { DEFAULT_TEMPLATE, type LabelPlan, planLabels } from '#core/model/label-plan.ts';
import { documented } from '#serve/http/documented.ts';
import { optional } from '#serve/http/schemas.ts';
import type { RunModel, ServingEngine } from '../engine/serving.ts';
import { readRenderedJson } from '../json/json.ts';
import { overflowMembers, NOT_EMPTY, textMember } from '../schemas/texts.ts';
import { type RankedLabels, rankLabels } from '../tasks/zero-shot-classification.ts';
import { hasParameters, PARAMETERS_NOTE } from './hugging-face.ts';
import { labelsOf } from './labels.ts';
import type { BodyOf, ClientBatch, HuggingFaceTask, ServedType } from './served-type.ts';

/** The options have the same names as in the transformers pipeline. */
const options = {
  candidate_labels: Type.Array(Type.String({ minLength: 1, title: 'text' }), {
    minItems: 1,
    title: 'a list of texts',
    description: 'Labels to score. The model runs once per text and label.',
  }),
  hypothesis_template: optional(
    documented(
      Type.String({
        default: DEFAULT_TEMPLATE,
        description: 'A sentence that is true if a label applies; `{}` is replaced with the label.',
      }),
      { pattern: '\\{\\}' },
    ),
  ),
  multi_label: optional(
    Type.Boolean({
      default: false,
      description:
        'Whether several labels can apply. If so, scores are independent; otherwise they sum to 1.',
    }),
  ),
};
type Options = Pick<BodyOf<typeof options>, 'candidate_labels' | 'hypothesis_template' | 'multi_label'>;

const texts = (maxInputs: number) =>
  documented(
    Type.Array(textMember, {
      minItems: 1,
      title: 'a list of texts',
      description: `Texts. At most ${maxInputs} per request; the same limit applies to pairs of a text and a label.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

const result = Type.Object(
  {
    sequence: Type.String({ description: 'The text.' }),
    labels: Type.Array(Type.String(), { description: 'The labels, highest score first.' }),
    scores: Type.Array(Type.Number(), { description: 'The score of each label, in the same order.' }),
  },
  { $id: 'ZeroShotResult' },
);

interface ZeroShotResult extends RankedLabels {
  readonly sequence: string;
}

const planOf = ({ candidate_labels, hypothesis_template, multi_label }: Options): LabelPlan =>
  planLabels({ labels: candidate_labels, template: hypothesis_template, multiLabel: multi_label });

/** Runs the model on each text paired with the sentence about each label. */
async function classify(
  { manifest, limits }: Pick<ServingEngine, 'manifest' | 'limits'>,
  inputs: readonly string[],
  plan: LabelPlan,
  run: RunModel,
): Promise<ZeroShotResult[]> {
  const { labels, hypotheses } = plan;
  const pairs = inputs.length * labels.length;
  if (pairs > limits.maxClientBatch) {
    throw inputError(
      `Too many pairs of texts and labels: ${inputs.length} x ${labels.length} = ${pairs}, but the maximum is ${limits.maxClientBatch} (--max-client-batch). Split them into several requests.`,
    );
  }
  const { results } = await run({
    inputs: inputs.flatMap((one) => hypotheses.map((pair) => ({ text: one, pair }))),
    indexOf: (input) => Math.floor(input / labels.length),
    view: { kind: 'result', format: 'json', options: {} },
  });
  return inputs.map((sequence, at) => {
    const logits = results.slice(at * labels.length, (at + 1) * labels.length).map(logitsOf);
    return { sequence, ...rankLabels(logits, manifest, plan) };
  });
}

const logitsOf = (rendered: Uint8Array): Float32Array =>
  Float32Array.from((readRenderedJson(rendered) as { readonly logits: readonly number[] }).logits);

const foreignRequest = ({ maxClientBatch }: ClientBatch) =>
  Type.Object(
    {
      inputs: Type.Union([textMember, texts(maxClientBatch)]),
      parameters: Type.Object(options),
      ...overflowMembers,
    },
    { $id: 'ZeroShotRequest' },
  );

const huggingFace: HuggingFaceTask<Static<ReturnType<typeof foreignRequest>>> = {
  request: (_, limits) => foreignRequest(limits),
  response: Type.Union([result, Type.Array(result)], {
    $id: 'ZeroShotResponse',
    description: 'One result for a single text, or a list of results for a list of texts.',
  }),
  example: () => ({
    request: {
      inputs: 'The team won the match.',
      parameters: { candidate_labels: ['sport', 'cooking'] },
    },
    response: {
      sequence: 'The team won the match.',
      labels: ['sport', 'cooking'],
      scores: [0.98, 0.02],
    },
  }),
  isTheirs: hasParameters,
  note: PARAMETERS_NOTE,
  async answer(engine, body, run) {
    const { inputs, parameters } = body;
    const results = await classify(engine, [inputs].flat(), planOf(parameters), run);
    return typeof inputs === 'string' ? results[0] : results;
  },
};

export const servedZeroShotClassification: ServedType<BodyOf<typeof options, string>> = {
  texts: {
    summary: 'Score the request’s labels for each text.',
    tool: 'Scores the candidate labels in the request for input text sequences.',
  },
  request: (_, { maxClientBatch }) => ({ inputs: texts(maxClientBatch), options }),
  result: () => result,
  example: () => ({
    request: {
      inputs: ['The team won the match.'],
      candidate_labels: ['cooking', 'sport'],
      hypothesis_template: 'This text is about {}.',
    },
    result: { sequence: 'The team won the match.', labels: ['sport', 'cooking'], scores: [0.98, 0.02] },
  }),
  bench: (words) => ({ inputs: [words], candidate_labels: ['person', 'place'] }),
  // These are the model's own labels, not the labels in requests.
  info: (manifest) => ({ classifier: labelsOf(manifest) }),
  predict: {
    together: async (engine, body, run) => await classify(engine, body.inputs, planOf(body), run),
  },
  huggingFace,
  grpc: async () => (await import('#gen/encoder/zero_shot_classification_pb.ts')).ZeroShotClassification,
};
