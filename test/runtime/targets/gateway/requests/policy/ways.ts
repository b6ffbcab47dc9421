import { setTimeout as sleep } from 'node:timers/promises';
import { AZURE_PATHS } from '#gateway/api/azure.ts';
import { keysOf } from '#core/values/keys.ts';
import type { Endpoint } from '#gateway/requests/completions/completion.ts';
import { ENDPOINTS } from '#gateway/requests/completions/endpoints/index.ts';

/** A response of the gateway. */
export interface WayAnswer {
  readonly status: number;
  readonly text: string;
}

/** One way in which user text reaches a provider. */
export interface Way {
  readonly name: string;
  /** The app routes that it uses. */
  readonly routes: readonly string[];
  /**
   * Sends a text in this way, with further members of the model request; returns the response that the user receives
   * in the end.
   */
  readonly send: (gateway: Asked, text: string, more?: object) => Promise<WayAnswer>;
  /** Whether its requests have no members that a client can add. */
  readonly isFixed?: boolean;
  /** Whether the request is free, so that a separate rate limit applies instead of budgets. */
  readonly isFree?: boolean;
  /** Whether the request waits for its key's rate limit instead of being rejected. */
  readonly waits?: boolean;
}

/** A gateway with a key. */
export interface Asked {
  readonly url: string;
  readonly key: string;
  /** Makes the provider finish its pending work. */
  readonly finish: () => Promise<void>;
}

export async function ask(
  { url, key }: Pick<Asked, 'url' | 'key'>,
  method: string,
  path: string,
  body?: object,
): Promise<WayAnswer> {
  const isForm = body instanceof FormData;
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const audio = (): File => new File([Buffer.alloc(200)], 'a.wav', { type: 'audio/wav' });

function form(fields: Readonly<Record<string, string | File>>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}

const contents = (text: string) => [{ role: 'user', parts: [{ text }] }];
const messages = (content: string) => [{ role: 'user', content }];

/** A request for each endpoint that contains a text. A new endpoint without one does not compile. */
const BODIES: Readonly<Record<Endpoint, (text: string) => object>> = {
  '/v1/chat/completions': (text) => ({ model: 'openai:good', messages: messages(text) }),
  '/v1/messages': (text) => ({ model: 'anthropic:good', max_tokens: 50, messages: messages(text) }),
  '/v1/responses': (text) => ({ model: 'openai:good', input: text }),
  '/v1/embeddings': (text) => ({ model: 'openai:good', input: text }),
  '/v1/classify': (text) => ({ model: 'encoder:words', input: text }),
  '/v1/completions': (text) => ({ model: 'openai:good', prompt: text }),
  '/v1/moderations': (text) => ({ model: 'openai:good', input: text }),
  '/v1/rerank': (text) => ({ model: 'openai:good', query: text, documents: [text, 'other'] }),
  '/v1/images/generations': (text) => ({ model: 'openai:good', prompt: text }),
  '/v1/audio/transcriptions': (prompt) => form({ model: 'openai:whisper-1', prompt, file: audio() }),
  '/v1/audio/translations': (prompt) => form({ model: 'openai:whisper-1', prompt, file: audio() }),
  '/v1/audio/speech': (input) => ({ model: 'openai:good', input, voice: 'alloy' }),
  '/v1beta/models/{model}:generateContent': (text) => ({ contents: contents(text) }),
  '/v1beta/models/{model}:streamGenerateContent': (text) => ({ contents: contents(text) }),
  '/v1beta/models/{model}:embedContent': (text) => ({ content: { parts: [{ text }] } }),
  '/v1beta/models/{model}:batchEmbedContents': (text) => ({
    requests: [{ model: 'models/gemini:good', content: { parts: [{ text }] } }],
  }),
};

const withMore = (body: object, more: object = {}): object =>
  body instanceof FormData ? body : { ...body, ...more };

/** The app route of an endpoint. */
const routeOf = (endpoint: string): string => `POST ${endpoint.replace(/\{model\}(:\w+)/, ':call{.+$1}')}`;

const endpoints: readonly Way[] = keysOf(ENDPOINTS).map((endpoint) => ({
  name: endpoint,
  routes: [routeOf(endpoint)],
  isFixed: BODIES[endpoint]('') instanceof FormData,
  send: (gateway, text, more) =>
    ask(gateway, 'POST', endpoint.replace('{model}', 'gemini:good'), withMore(BODIES[endpoint](text), more)),
}));

const streams: readonly Way[] = (['/v1/chat/completions', '/v1/messages', '/v1/responses'] as const).map(
  (endpoint) => ({
    name: `${endpoint} as a stream`,
    routes: [],
    send: (gateway, text, more) =>
      ask(gateway, 'POST', endpoint, { ...BODIES[endpoint](text), ...more, stream: true }),
  }),
);

const azure: readonly Way[] = AZURE_PATHS.map(({ path, endpoint }) => ({
  name: path,
  routes: [`POST ${path.replace('{model}', ':model{.+}')}`],
  isFixed: BODIES[endpoint]('') instanceof FormData,
  send: (gateway, text, more) =>
    ask(
      gateway,
      'POST',
      path.replace('{model}', encodeURIComponent('openai:good')),
      withMore(BODIES[endpoint](text), more),
    ),
}));

const count = (path: string, bodyOf: (text: string) => object): Way => ({
  name: path,
  routes: [`POST ${path}`],
  isFree: true,
  send: (gateway, text, more) => ask(gateway, 'POST', path, { ...bodyOf(text), ...more }),
});

const counts: readonly Way[] = [
  count('/v1/messages/count_tokens', (text) => ({ model: 'anthropic:good', messages: messages(text) })),
  count('/v1/responses/input_tokens', (input) => ({ model: 'openai:good', input })),
];

const geminiCount: Way = {
  name: 'Gemini countTokens',
  routes: [routeOf('/v1beta/models/{model}:countTokens')],
  isFree: true,
  send: (gateway, text, more) =>
    ask(gateway, 'POST', '/v1beta/models/gemini:good:countTokens', { contents: contents(text), ...more }),
};
const newerGemini: Way = {
  name: 'Gemini generateContent under /v1',
  routes: [
    'POST /v1/models/:call{.+:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)}',
  ],
  send: (gateway, text, more) =>
    ask(gateway, 'POST', '/v1/models/gemini:good:generateContent', { contents: contents(text), ...more }),
};

const idIn = ({ text }: WayAnswer): string => (JSON.parse(text) as { readonly id: string }).id;

/** Runs the steps until one is rejected. */
async function steps(...all: readonly ((last: WayAnswer) => Promise<WayAnswer>)[]): Promise<WayAnswer> {
  let last: WayAnswer = { status: 200, text: '' };
  for (const step of all) {
    last = await step(last);
    if (last.status >= 300) return last;
  }
  return last;
}

const file: Way = {
  name: 'a file',
  routes: ['POST /v1/files'],
  isFree: true,
  isFixed: true,
  send: (gateway, text) =>
    ask(gateway, 'POST', '/v1/files', form({ purpose: 'user_data', file: new File([text], 'notes.txt') })),
};

const batch: Way = {
  name: 'a batch',
  routes: ['POST /v1/batches', 'GET /v1/batches/:id', 'GET /v1/files/:id/content'],
  async send(gateway, text, more) {
    const body = { ...BODIES['/v1/chat/completions'](text), ...more };
    const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body };
    const upload = form({ purpose: 'batch', file: new File([JSON.stringify(line)], 'batch.jsonl') });
    const about = { endpoint: '/v1/chat/completions', completion_window: '24h' };
    let id = '';
    return await steps(
      () => ask(gateway, 'POST', '/v1/files', upload),
      (uploaded) => ask(gateway, 'POST', '/v1/batches', { ...about, input_file_id: idIn(uploaded) }),
      async (created) => {
        id = idIn(created);
        await gateway.finish();
        return await ask(gateway, 'GET', `/v1/batches/${id}`);
      },
      (done) => {
        const { output_file_id: output } = JSON.parse(done.text) as { readonly output_file_id: string };
        return ask(gateway, 'GET', `/v1/files/${output}/content`);
      },
    );
  },
};

const background: Way = {
  name: 'a background response',
  routes: ['GET /v1/responses/:id', 'GET /v1/responses/:id/input_items', 'POST /v1/responses/:id/cancel'],
  send: (gateway, text, more) =>
    steps(
      () =>
        ask(gateway, 'POST', '/v1/responses', {
          model: 'openai:good',
          input: text,
          background: true,
          ...more,
        }),
      async (created) => {
        await gateway.finish();
        return await ask(gateway, 'GET', `/v1/responses/${idIn(created)}`);
      },
    ),
};

/** The rows of a job, which a worker in another process sends. */
const job = (name: string, route: string, config: object): Way => ({
  name,
  routes: [`POST ${route}`],
  waits: true,
  isFixed: true,
  async send(gateway, text) {
    const rows = form({
      dataset: new File([`examples,predictions,ground_truth\n${text},x,x`], 'rows.csv'),
      format: 'job',
    });
    const ended = async (created: WayAnswer): Promise<WayAnswer> => {
      for (;;) {
        const { text: shown } = await ask(gateway, 'GET', `/api/v1/jobs/${idIn(created)}`);
        const { status, error } = JSON.parse(shown) as {
          readonly status: string;
          readonly error: string | null;
        };
        if (status === 'succeeded') return { status: 200, text: shown };
        if (status === 'failed' || status === 'stopped') return { status: 403, text: String(error) };
        await sleep(50);
      }
    };
    return await steps(
      () => ask(gateway, 'POST', '/api/v1/datasets/', rows),
      (uploaded) => ask(gateway, 'POST', route, { name: 'job', dataset: idIn(uploaded), job_config: config }),
      ended,
    );
  },
});

const GENERATION = { task_definition: { task: 'text-generation' }, system_prompt: 'Answer.' };
const MODEL = { model: 'openai:good', provider: 'gateway' };
const jobs: readonly Way[] = [
  job('a job', '/api/v1/jobs/inference', { job_type: 'inference', ...MODEL, ...GENERATION }),
  job('an annotation', '/api/v1/jobs/annotate', { job_type: 'annotate', ...MODEL, ...GENERATION }),
];

/** All ways except the WebSocket one. */
export const WAYS: readonly Way[] = [
  ...endpoints,
  ...streams,
  ...azure,
  ...counts,
  geminiCount,
  newerGemini,
  file,
  batch,
  background,
  ...jobs,
];

/** Routes on which no user text reaches a provider, as parts of their paths. Every other route must be in the table. */
export const NO_WAYS: readonly RegExp[] = [
  /^(?:GET|HEAD|OPTIONS|DELETE|ALL) /,
  // Unknown methods of Gemini models, which are rejected.
  /^POST \/v1beta\/models\/:call\{\.\+\}$/,
  // Resources of the gateway itself.
  /^\w+ \/v1\/(?:aliases|alerts|admin|budgets|cache|keys|me\/invitations|organizations|price-map|pricing|providers|shadow|tags|teams|users)\b/,
  /^\w+ \/v1\/feedback\b/,
  /^\w+ \/api\/v1\/(?:datasets|uploads|experiments|settings|artifacts)\b/,
  // Workers write results there. Their model requests use the model routes.
  /^\w+ \/api\/v1\/worker\//,
  // These start or stop jobs, whose model calls are covered by `POST /api/v1/jobs/inference`.
  /^POST \/api\/v1\/workflows(?:\/:id\/(?:cancel|retry))?$/,
  /^PATCH \/api\/v1\/workflows\/:id$/,
  /^POST \/api\/v1\/jobs\/(?::id\/(?:cancel|retry)|evaluator)$/,
  // Only a batch ID is sent.
  /^POST \/v1\/batches\/:id\/cancel$/,
  // Sign-in.
  /^\w+ \/auth\//,
];
