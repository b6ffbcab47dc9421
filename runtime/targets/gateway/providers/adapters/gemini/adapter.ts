import type { MemberEdits } from '../../../shared/json-members.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../unsupported.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ChatCompletion, Json } from '../../shapes/chat.ts';
import { outputTexts } from '../../streams/tally.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import { readGeminiAnswer, geminiDecoder, type GeminiAnswer } from './answer.ts';
import {
  type EmbeddingsExchange,
  type ProviderAdapter,
  type TokenCount,
  type ErrorText,
  type UpstreamWire,
  modelEntry,
} from '../provider.ts';
import { embeddedTexts, vectorsAnswer } from '../content.ts';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import { geminiRequest } from './request.ts';

/**
 * The model name without `models/`: Gemini lists `models/pro`, and also accepts `pro` for the same model.
 * If nothing follows the prefix, the name is returned unchanged.
 */
const bareModel = (model: string): string => model.replace(/^(?:models\/)+(?=.)/, '');

/** All names of a model, the canonical name first. */
function modelNames(model: string): readonly [string, string] {
  const bare = bareModel(model);
  return [bare, `models/${bare}`];
}

/**
 * The path of a method of a model. The model name is encoded, because clients choose it and it must not
 * change the path.
 */
function modelPath(model: string, method: string): string {
  return `/v1beta/models/${encodeURIComponent(bareModel(model))}:${method}`;
}

/**
 * Removes members that Gemini's API does not support, including the model and whether to stream, which are
 * part of the path.
 */
const GEMINI_EDITS: MemberEdits = {
  ...REMOVE_GATEWAY_MEMBERS,
  model: undefined,
  stream: undefined,
  user: undefined,
};

// Clients of Gemini's own API see the whole response, including parts that the internal format cannot
// express, for example code that Google runs. Guardrails and usage tracking must therefore see these parts,
// too.

/** Members of parts that are translated, or that are not model output. */
const TRANSLATED = new Set(['text', 'thought', 'thoughtSignature', 'functionCall', 'inlineData', 'fileData']);

function otherOutput(body: Json): string {
  const { candidates = [] } = body as GeminiAnswer;
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  return parts
    .flatMap((part) => Object.entries(part).filter(([name]) => !TRANSLATED.has(name)))
    .flatMap(([, value]) => outputTexts(value))
    .join('');
}

function readNativeAnswer(body: Json): ChatCompletion {
  const answer = readGeminiAnswer(body);
  const others = otherOutput(body);
  if (others === '') return answer;
  const choices = answer.choices.map((choice, at) =>
    at > 0
      ? choice
      : {
          ...choice,
          message: { ...choice.message, content: outputTexts(choice.message.content).join('') + others },
        },
  );
  return { ...answer, choices };
}

/** @internal Exported for tests only. */
export function geminiNativeDecoder(): EventDecoder {
  const decode = geminiDecoder();
  return (event, data) => {
    const step = decode(event, data);
    if (step.kind === 'error') return step;
    const content = otherOutput(membersOf(parseJsonText(data)));
    if (content === '') return step;
    const chunk = { choices: [{ index: 0, delta: { content } }] };
    return { ...step, kind: 'chunks', chunks: [chunk, ...('chunks' in step ? (step.chunks ?? []) : [])] };
  };
}

/** @see https://ai.google.dev/api/embeddings */
const geminiEmbeddings: EmbeddingsExchange = {
  path: (model) => modelPath(model, 'batchEmbedContents'),
  request({ body, model }) {
    const { dimensions } = body;
    const requests = embeddedTexts(body['input'], 'Gemini').map((text) => ({
      model: `models/${bareModel(model)}`,
      content: { parts: [{ text }] },
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    }));
    return Buffer.from(JSON.stringify({ requests }));
  },
  answer({ embeddings }, call) {
    const vectors = embeddings as readonly { readonly values: readonly number[] }[];
    // Gemini does not report token counts for embeddings.
    return vectorsAnswer(
      vectors.map(({ values }) => values),
      call,
      0,
    );
  },
  usage: () => undefined,
};

/** @see https://ai.google.dev/api/models @internal Exported for tests only. */
export const geminiModels: ProviderAdapter['models'] = {
  path: '/v1beta/models?pageSize=1000',
  list: ({ models }) =>
    (Array.isArray(models) ? models.filter(isObject) : []).flatMap(({ name }) =>
      modelEntry(typeof name === 'string' && !name.endsWith('/') ? bareModel(name) : undefined, 0, 'google'),
    ),
};

/** @see https://ai.google.dev/api/tokens */
const geminiTokenCount: TokenCount = {
  wire: 'gemini',
  path: (model) => modelPath(model, 'countTokens'),
  request: (request, model) => ({
    generateContentRequest: { model: `models/${bareModel(model)}`, ...request },
  }),
  edits: () => GEMINI_EDITS,
  count: ({ totalTokens: tokens }) => tokens,
};

/**
 * Gemini's errors have the format `{"error": {"code": 400, "message", "status", "details": [{"reason"}]}}`,
 * and are sometimes wrapped in a list.
 */
export function geminiErrorText(body: unknown): ErrorText {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  const { message, status, details } = membersOf(memberOf(first, 'error'));
  const reasons = Array.isArray(details) ? details.map((detail) => memberOf(detail, 'reason')) : [];
  return {
    message: typeof message === 'string' ? message : undefined,
    code: [status, ...reasons].filter((part) => typeof part === 'string').join(' '),
  };
}

const wire: UpstreamWire = {
  path: (model, streams) => modelPath(model, streams ? 'streamGenerateContent?alt=sse' : 'generateContent'),
  decoder: geminiDecoder,
  answer: readGeminiAnswer,
  edits: () => GEMINI_EDITS,
};

/** @see https://ai.google.dev/api */
export const geminiAdapter: ProviderAdapter = {
  type: 'gemini',
  headers: (apiKey) => (apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
  native: { gemini: { ...wire, decoder: geminiNativeDecoder, answer: readNativeAnswer } },
  signsCalls: true,
  translated: { request: geminiRequest, wire },
  embeddings: geminiEmbeddings,
  tokenCount: geminiTokenCount,
  models: geminiModels,
  modelNames,
  errorText: geminiErrorText,
};
