import { textOrUndefined } from '#core/values/text-or-undefined.ts';
import { Type } from 'typebox';
import type { ClassifiedAnswer, LabelScores, WholeAnswer } from '../../../providers/adapters/provider.ts';
import { classifiedSummary } from '../../../providers/adapters/encoder/encoder-provider.ts';
import { withImageParts } from '../../guardrails/image-inputs.ts';
import type { Resolved, Target } from '../../routing/routing.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { derivedFrom } from '../../../providers/shapes/passed.ts';
import { requestGuardrails, modelSchema, openObject, userName, type EndpointRules } from './endpoint.ts';
import { inputForms, inputString } from './input-items.ts';

const schema = openObject(
  {
    model: modelSchema,
    input: Type.Union([...inputForms({ minLength: 1 })]),
    user: userName,
    guardrails: requestGuardrails,
  },
  {
    $id: 'ClassifyRequest',
    description: 'Texts or images to classify with an encoder, e.g. `encoder:<name>`.',
  },
);

/** Classification by encoders. No other provider has a comparable API, so the gateway uses its own format. */
export const classifyEndpoint: EndpointRules = {
  schema,
  user: (body) => textOrUndefined(body['user']),
  endUser: () => undefined,
  promptTokens: (body, count) => count(withImageParts(body)),
  maxOutputTokens: () => 0,
  forwardedHeaders: [],
  async call(router, resolved, call, options) {
    const { body, trace, signal, isBilled } = call;
    const texts = textsOf(body);
    const classified = derivedFrom(call, { texts, trace, signal, isBilled });
    const routed = await router.classify(resolved, classified, options);
    const { answer, target } = routed;
    return {
      ...routed,
      answer: answer.kind === 'failed' ? answer : wholeOf(answer, texts, resolved, target),
    };
  },
};

const textsOf = ({ input }: Json): readonly string[] =>
  (Array.isArray(input) ? input : [input]).map(inputString);

function wholeOf(
  classified: ClassifiedAnswer,
  texts: readonly string[],
  { alias }: Resolved,
  { key }: Target,
): WholeAnswer {
  const { scores, tokens } = classified;
  const used = tokens ?? estimateTokens(texts.reduce((sum, { length }) => sum + length, 0));
  const answer = {
    object: 'list',
    model: alias ?? key,
    data: scores.map((each, index) => ({ index, ...best(each), scores: each })),
    usage: { prompt_tokens: used, total_tokens: used },
  };
  return {
    kind: 'whole',
    bytes: Buffer.from(JSON.stringify(answer)),
    text: '',
    summary: classifiedSummary(classified),
  };
}

function best(scores: LabelScores): { readonly label: string | null; readonly score: number | null } {
  let found: { readonly label: string; readonly score: number } | undefined;
  for (const [label, score] of Object.entries(scores)) {
    if (!found || score > found.score) found = { label, score };
  }
  return found ?? { label: null, score: null };
}

/**
 * Estimates a text's tokens from its length in UTF-16 code units: a quarter, rounded up. @internal Exported
 * for tests only.
 */
export const estimateTokens = (textLength: number): number => Math.ceil(textLength / 4);
