import type { Context } from 'hono';
import type { Manifest } from '#contract/manifest.ts';
import { readsImages, readsTextsAndImages, returnsTextVectors } from '#contract/model-types.ts';
import { promptFor } from '#core/model/input-type.ts';
import { itemAt } from '#core/values/item-at.ts';
import { withArticle } from '#core/text/with-article.ts';
import { formNamed, type FormName } from '#core/vectors/vector-types.ts';
import type { Route } from '#serve/http/route.ts';
import type { EncoderContext } from '../../context.ts';
import type { EngineInput, RequestOverflow, ServingEngine } from '../../engine/serving.ts';
import { engineFor } from '../../engine/staged-engine.ts';
import { splitForms } from '../../json/vector-writer.ts';
import { overflowOf } from '../../predict/predict.ts';
import { textOrImageInput } from '../../engine/text-or-image.ts';
import {
  type CohereInputs,
  type CohereEmbedRequest,
  cohereEmbedRequest,
  cohereEmbedResponse,
} from '../../schemas/cohere-embed.ts';
import { EXAMPLE_IMAGE } from '../../schemas/images.ts';
import { type ModelRoutes, unsupportedRoute } from '../model-route.ts';
import { ANSWER_HEADERS, jsonAnswer, listPieces, requestCaller, runModel, sumOf } from '../run-model.ts';
import { shortenTexts } from '../shorten-texts.ts';
import { planEmbeddings } from '../vector-inputs.ts';

const PATH = '/v2/embed';

/** `POST /v2/embed`: one vector per text in one or several types, for clients of Cohere's API. */
export function cohereEmbedRoute({ engine }: EncoderContext, { route, guard }: ModelRoutes): Route {
  const { name, modelType } = engine.manifest;
  if (!returnsTextVectors(modelType)) {
    return unsupportedRoute(
      PATH,
      `${PATH} requires an embedding model, but ${name} is ${withArticle(modelType)} model. Use /predict.`,
    );
  }
  return route({
    method: 'post',
    path: PATH,
    guard,
    id: 'embedV2',
    tag: 'Cohere and Jina',
    summary: 'Compute one vector per text in one or several types.',
    request: {
      schema: cohereEmbedRequest(engine.manifest, engine.limits),
      examples: requestsOf(engine.manifest),
    },
    answer: {
      description: 'The vectors of all texts by type.',
      schema: cohereEmbedResponse,
      examples: ANSWERS,
      headers: ANSWER_HEADERS,
    },
    run: (c, body) => embed(c, engine, body as CohereEmbedRequest, c.get('requestId')),
  });
}

async function embed(
  c: Context,
  model: ServingEngine,
  body: CohereEmbedRequest,
  id: string,
): Promise<Response> {
  const { input_type: use, output_dimension: dimensions } = body;
  const engine = await engineFor(model, body.stage);
  const { manifest } = engine;
  const overflow = overflowOf(body);
  const elements = elementsOf(manifest, body);
  const texts = elements.flatMap((element) => ('text' in element ? [element.text] : []));
  const inputs = await engineInputs(engine, elements, body, overflow);
  const prompt_name = use ? promptFor(manifest.sentence, use) : undefined;
  const { options, prompt } = await planEmbeddings(inputs, { dimensions, prompt_name }, engine);
  const names: readonly FormName[] = [...new Set(body.embedding_types ?? (['float'] as const))];
  const view = { kind: 'vector', format: names.map(formNamed), ...options } as const;
  const { results, tokens, truncated } = await runModel(requestCaller(c), engine, {
    inputs,
    view,
    prompt,
    overflow,
  });
  const forms = results.map(splitForms);
  const embeddings = names.flatMap((name, at) => [
    `${at === 0 ? '' : ','}${JSON.stringify(name)}:`,
    ...listPieces(forms.map((ofText) => ofText[at] ?? new Uint8Array())),
  ]);
  const rest = JSON.stringify({
    texts,
    meta: {
      api_version: { version: '2' },
      billed_units: { input_tokens: sumOf(tokens) },
      ...(truncated.length > 0
        ? { warnings: [truncationWarning(truncated.length, texts.length, engine)] }
        : {}),
    },
    response_type: 'embeddings_by_type',
  });
  return jsonAnswer(c, [`{"id":${JSON.stringify(id)},"embeddings":{`, ...embeddings, `},${rest.slice(1)}`]);
}

type Element = { readonly text: string } | { readonly image: string };

/** The texts and images of a request. Unknown keys are ignored, also the ones of models that read something else. */
function elementsOf(
  { modelType }: Manifest,
  { texts = [], images = [], inputs = [] }: CohereInputs,
): readonly Element[] {
  const ofTexts = texts.map((text) => ({ text }));
  const ofImages = images.map((image) => ({ image }));
  if (readsImages(modelType)) return ofImages;
  if (!readsTextsAndImages(modelType)) return ofTexts;
  const mixed = inputs.flatMap(({ content }) =>
    content.map((one) => ('text' in one ? { text: one.text } : { image: one.image_url.url })),
  );
  return [...ofTexts, ...ofImages, ...mixed];
}

/** The inputs of the model, with texts that are shortened to `max_tokens`. */
async function engineInputs(
  engine: ServingEngine,
  elements: readonly Element[],
  { max_tokens: maxTokens }: CohereEmbedRequest,
  overflow: RequestOverflow,
): Promise<EngineInput[]> {
  const side = overflow.rule === 'error' ? 'error' : (overflow.side ?? 'right');
  const texts = elements.flatMap((element) => ('text' in element ? [element.text] : []));
  const shortened =
    texts.length === 0 ? [] : await shortenTexts(engine, texts, { maxTokens, side, place: 'texts' });
  let next = 0;
  return elements.map((element, at) =>
    textOrImageInput('text' in element ? { text: itemAt(shortened, next++) } : element, at),
  );
}

function truncationWarning(count: number, texts: number, { manifest }: ServingEngine): string {
  const were = count === 1 ? 'was' : 'were';
  return `${count} of ${texts} texts ${were} truncated: a text can have at most ${manifest.tokenizer.maxLength} tokens.`;
}

const requestsOf = ({ modelType }: Manifest) => ({
  types: {
    model: 'any',
    ...(readsImages(modelType)
      ? { images: [EXAMPLE_IMAGE] }
      : { texts: ['Anna lives in Berlin.'], input_type: 'search_document' }),
    embedding_types: ['float', 'ubinary'],
  },
});

const ANSWERS = {
  types: {
    id: 'd7f0b1f5c6e94a7c9f3a',
    embeddings: { float: [[0.6, -0.8]], ubinary: [[128]] },
    texts: ['Anna lives in Berlin.'],
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 7 } },
    response_type: 'embeddings_by_type',
  },
};
