import { type TSchema, Type } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { Endpoint } from '../../requests/completions/completion.ts';

/** The model parameter in Gemini and Azure paths. */
export const MODEL_PARAMETER = {
  name: 'model',
  description: 'Model name as in other requests: `provider:model` or an alias.',
  example: 'gemini:gemini-2.5-flash',
} as const;

// Response schemas, which describe the members that all providers return.

const answerOf = (members: Record<string, TSchema>, description: string): TSchema =>
  Type.Object(members, { additionalProperties: true, description });

const usage = Type.Optional(
  Type.Unsafe({ type: ['object', 'null'], additionalProperties: true, description: 'Token counts.' }),
);
const list = Type.Array(Type.Unsafe({ type: 'object', additionalProperties: true }));

const chatAnswer = answerOf(
  { id: Type.String(), object: Type.String(), model: Type.String(), choices: list, usage },
  'The provider’s response.',
);
const messagesAnswer = answerOf(
  { id: Type.String(), type: Type.String(), model: Type.String(), content: list, usage },
  'The provider’s response.',
);
const responsesAnswer = answerOf(
  { id: Type.String(), object: Type.String(), model: Type.String(), output: list, usage },
  'The provider’s response.',
);
const embeddingsAnswer = answerOf(
  { object: Type.String(), model: Type.String(), data: list, usage },
  'One vector per input, in input order.',
);
const scored = Type.Object({
  index: Type.Integer(),
  label: Type.Unsafe({ type: ['string', 'null'], description: 'Label with the highest score.' }),
  score: Type.Unsafe({ type: ['number', 'null'] }),
  scores: Type.Unsafe({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Probability of each label.',
  }),
});
const classifyAnswer = answerOf(
  {
    object: Type.Literal('list'),
    model: Type.String(),
    data: Type.Array(scored),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  },
  'One entry per text, in input order.',
);

const geminiAnswer = answerOf(
  { candidates: list, usageMetadata: Type.Unsafe({ type: 'object' }), modelVersion: Type.String() },
  'The provider’s response.',
);
const vector = Type.Object({ values: Type.Array(Type.Number()) });

/** OpenAPI description of a route that calls models. */
interface EndpointDocs {
  readonly id: string;
  /** Default: `Models`. */
  readonly tag?: string;
  readonly parameters?: Operation['parameters'];
  readonly summary: string;
  readonly description: string;
  readonly request: object;
  readonly answer: TSchema;
  readonly example: unknown;
  /** Whether a client can request a stream of events, or always receives one. */
  readonly streams: boolean | 'only';
  /** The media type of the response. Default: JSON. */
  readonly answerType?: string;
  /** Other media types of the response. */
  readonly otherTypes?: readonly string[];
}

const PASSED_THROUGH = 'Other members are passed to the provider, and its response is returned unchanged.';

const AUDIO_NOTE = `The file and the other fields are sent to the provider unchanged.`;

const AUDIO_DOCS: Readonly<Record<Extract<Endpoint, `/v1/audio/${string}`>, EndpointDocs>> = {
  '/v1/audio/transcriptions': {
    id: 'createTranscription',
    summary: 'Transcribe an audio file, in OpenAI’s audio API format.',
    description: `${AUDIO_NOTE} With \`stream=true\`, the text is sent as events.`,
    request: { model: 'openai:whisper-1', file: 'RIFF...', response_format: 'json' },
    answer: answerOf({ text: Type.String(), usage }, 'The provider’s response.'),
    example: { text: 'Hello!', usage: { type: 'duration', seconds: 2 } },
    streams: true,
    otherTypes: ['text/plain'],
  },
  '/v1/audio/translations': {
    id: 'createTranslation',
    summary: 'Translate speech in an audio file into English, in OpenAI’s audio API format.',
    description: AUDIO_NOTE,
    request: { model: 'openai:whisper-1', file: 'RIFF...' },
    answer: answerOf({ text: Type.String(), usage }, 'The provider’s response.'),
    example: { text: 'Hello!' },
    streams: false,
    otherTypes: ['text/plain'],
  },
  '/v1/audio/speech': {
    id: 'createSpeech',
    summary: 'Convert text to speech, in OpenAI’s audio API format.',
    description: `${PASSED_THROUGH} Audio is forwarded as it arrives. With \`stream_format: sse\`, the audio is sent as events.`,
    request: { model: 'openai:tts-1', input: 'Hello!', voice: 'alloy' },
    answer: Type.String({ format: 'binary' }),
    example: 'ID3...',
    answerType: 'audio/mpeg',
    streams: true,
    otherTypes: ['application/octet-stream'],
  },
};

const HELLO = [{ role: 'user', content: 'Hello' }];
const GREETING = { role: 'assistant', content: 'Hello! How can I help?' };

const GEMINI_NOTE = `${PASSED_THROUGH} Paths with \`/v1\` instead of \`/v1beta\` also work. The key can also be sent in \`x-goog-api-key\` or \`?key=\`. With the master key, \`user\` identifies the user.`;
const GEMINI_EXAMPLE = {
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'Hello! How can I help?' }] },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 7, totalTokenCount: 9 },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
};

export const ENDPOINT_DOCS: Readonly<Record<Endpoint, EndpointDocs>> = {
  '/v1/chat/completions': {
    id: 'createChatCompletion',
    summary: 'Call a model, in OpenAI’s Chat Completions format.',
    description: PASSED_THROUGH,
    request: { model: 'openai:gpt-4o-mini', messages: HELLO },
    answer: chatAnswer,
    example: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'gpt-4o-mini',
      choices: [{ index: 0, message: GREETING, finish_reason: 'stop' }],
      usage: { prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 },
    },
    streams: true,
  },
  '/v1/messages': {
    id: 'createMessage',
    summary: 'Call a model, in Anthropic’s Messages format.',
    description: `${PASSED_THROUGH} With the master key, \`metadata.user_id\` identifies the user.`,
    request: { model: 'anthropic:claude-sonnet-4-5', max_tokens: 100, messages: HELLO },
    answer: messagesAnswer,
    example: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'Hello! How can I help?' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 8, output_tokens: 7 },
    },
    streams: true,
  },
  '/v1/responses': {
    id: 'createResponse',
    summary: 'Call a model, in OpenAI’s Responses format.',
    description: `${PASSED_THROUGH} For providers without this API, requests are converted to the provider’s own API, and nothing is stored.`,
    request: { model: 'openai:gpt-4o-mini', input: 'Hello' },
    answer: responsesAnswer,
    example: {
      id: 'resp_1',
      object: 'response',
      model: 'gpt-4o-mini',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello!' }] }],
      usage: { input_tokens: 8, output_tokens: 2, total_tokens: 10 },
    },
    streams: true,
  },
  '/v1/embeddings': {
    id: 'createEmbeddings',
    summary: 'Create one vector per input, in the format of OpenAI’s embeddings.',
    description: PASSED_THROUGH,
    request: { model: 'encoder:my-embedder', input: ['Anna lives in Berlin.'] },
    answer: embeddingsAnswer,
    example: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.6, -0.8] }],
      model: 'my-embedder',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    },
    streams: false,
  },
  '/v1/classify': {
    id: 'classifyTexts',
    summary: 'Classify texts with an encoder. Returns the probability of each label.',
    description: 'Requires a model named `encoder:<name>`, or an alias for one.',
    request: { model: 'encoder:sentiment', input: ['I love this.'] },
    answer: classifyAnswer,
    example: {
      object: 'list',
      model: 'encoder:sentiment',
      data: [{ index: 0, label: 'POSITIVE', score: 0.98, scores: { POSITIVE: 0.98, NEGATIVE: 0.02 } }],
      usage: { prompt_tokens: 6, total_tokens: 6 },
    },
    streams: false,
  },
  '/v1/completions': {
    id: 'createCompletion',
    summary: 'Complete a prompt, in OpenAI’s Completions format.',
    description: `${PASSED_THROUGH} For providers without this API, the prompt is sent as a user message.`,
    request: { model: 'openai:gpt-3.5-turbo-instruct', prompt: 'Hello' },
    answer: chatAnswer,
    example: {
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1_760_000_000,
      model: 'gpt-3.5-turbo-instruct',
      choices: [{ text: ' world', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
    streams: true,
  },
  '/v1/moderations': {
    id: 'createModeration',
    summary: 'Classify whether texts are harmful, in OpenAI’s Moderations format.',
    description: PASSED_THROUGH,
    request: { model: 'openai:omni-moderation-latest', input: 'Hello' },
    answer: answerOf({ id: Type.String(), model: Type.String(), results: list }, 'One result per input.'),
    example: {
      id: 'modr-1',
      model: 'omni-moderation-latest',
      results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.001 } }],
    },
    streams: false,
  },
  '/v1/rerank': {
    id: 'createRerank',
    summary: 'Rank documents by relevance to a query, in the format of Cohere’s and Jina’s rerank APIs.',
    description: `${PASSED_THROUGH} Encoders of type multi_vector, and encoders of type sequence_classification with one label, also support this API.`,
    request: {
      model: 'encoder:my-reranker',
      query: 'Where does Anna live?',
      documents: ['Anna lives in Berlin.'],
    },
    answer: answerOf({ results: list, usage }, 'The documents, best matches first.'),
    example: { results: [{ index: 0, relevance_score: 0.98 }], usage: { total_tokens: 14 } },
    streams: false,
  },
  '/v1/images/generations': {
    id: 'createImage',
    summary: 'Create images, in the format of OpenAI’s images.',
    description: `${PASSED_THROUGH} If the provider does not report the usage of images, their estimated tokens are billed.`,
    request: { model: 'openai:gpt-image-1', prompt: 'A lighthouse at night' },
    answer: answerOf({ created: Type.Integer(), data: list, usage }, 'The images.'),
    example: {
      created: 1_760_000_000,
      data: [{ b64_json: 'iVBORw0KGgo=' }],
      usage: { input_tokens: 12, output_tokens: 1056, total_tokens: 1068 },
    },
    streams: false,
  },
  ...AUDIO_DOCS,
  '/v1beta/models/{model}:generateContent': {
    id: 'generateContent',
    tag: 'Gemini',
    summary: 'Call a model, in Gemini’s API format.',
    description: GEMINI_NOTE,
    parameters: [MODEL_PARAMETER],
    request: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    answer: geminiAnswer,
    example: GEMINI_EXAMPLE,
    streams: false,
  },
  '/v1beta/models/{model}:streamGenerateContent': {
    id: 'streamGenerateContent',
    tag: 'Gemini',
    summary: 'Call a model and stream its response, in Gemini’s API format.',
    description: `${GEMINI_NOTE} Without \`alt=sse\`, the stream is a JSON array.`,
    parameters: [
      MODEL_PARAMETER,
      { name: 'alt', in: 'query', description: '`sse` for server-sent events.', example: 'sse' },
    ],
    request: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    answer: geminiAnswer,
    example: GEMINI_EXAMPLE,
    streams: 'only',
  },
  '/v1beta/models/{model}:embedContent': {
    id: 'embedContent',
    tag: 'Gemini',
    summary: 'Create the vector of a text, in the format of Gemini’s API.',
    description: GEMINI_NOTE,
    parameters: [MODEL_PARAMETER],
    request: { content: { parts: [{ text: 'Hello' }] } },
    answer: answerOf({ embedding: vector }, 'The vector.'),
    example: { embedding: { values: [0.6, -0.8] } },
    streams: false,
  },
  '/v1beta/models/{model}:batchEmbedContents': {
    id: 'batchEmbedContents',
    tag: 'Gemini',
    summary: 'Create one vector per text, in the format of Gemini’s API.',
    description: GEMINI_NOTE,
    parameters: [MODEL_PARAMETER],
    request: { requests: [{ content: { parts: [{ text: 'Hello' }] } }] },
    answer: answerOf({ embeddings: Type.Array(vector) }, 'One vector per text, in input order.'),
    example: { embeddings: [{ values: [0.6, -0.8] }] },
    streams: false,
  },
};
