import type { Behaviors } from './behavior.ts';

/** Documented behavior of the gateway for clients that call models. */
export const GATEWAY_COMPLETIONS = {
  'gateway:images': {
    source: 'docs/gateway.md#images-for-encoders',
    behavior:
      'Encoders embed and classify images, which are billed with the usage that the encoder reports; guardrails and stored prompts do not contain their data.',
  },
  'gateway:chat': {
    source: 'docs/gateway-clients.md#conversions',
    behavior:
      "The provider receives the request, and the client receives the response byte for byte, except for the model's name.",
  },
  'gateway:chat:stream': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      "A stream contains the provider's chunks and [DONE], and usage only if requested; the usage row is written before the stream ends.",
  },
  'gateway:chat:broken-stream': {
    source: 'docs/gateway-config.md#providers',
    behavior:
      'A broken stream ends with an error event, never as if it were complete, and is billed for the part that was sent.',
  },
  'gateway:chat:left': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'When a client disconnects from a stream, the provider request is canceled, and the part that was streamed is billed based on an estimate; if no byte has been sent yet, the response is read completely and billed.',
  },
  'gateway:chat:refused': {
    source: 'docs/gateway.md#errors',
    behavior:
      'An invalid request returns an error with a status, a stable code and the name of the invalid field; credentials are checked first.',
  },
  'gateway:chat:user': {
    source: 'docs/gateway.md#http-api',
    behavior: 'A request with the master key must name the user to bill; a key can bill only its own user.',
  },
  'gateway:chat:provider-errors': {
    source: 'docs/gateway.md#errors',
    behavior: 'Provider errors are mapped to gateway statuses, and include Retry-After but no secrets.',
  },
  'gateway:chat:limits': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior:
      'Requests over a rate limit return 429, and requests over a budget return 403, even if a single request exceeds the budget; with a budget, models without a price return 402; headers report the remaining requests.',
  },
  'gateway:chat:limits:agents': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior:
      'Requests over a budget return 402 `billing_error` on /v1/messages and 429 `insufficient_quota` on /v1/responses, and the response advises against retries.',
  },
  'gateway:chat:alias': {
    source: 'docs/gateway-config.md#aliases',
    behavior: 'An alias falls back to its next target, and each attempt is recorded.',
  },
  'gateway:guardrails:mask': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Entities that an executable detects are masked for the model and restored in responses and streams of every API.',
  },
  'gateway:guardrails:mask-output': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Model output is masked in the responses and streams of every API, including for the OpenAI and Anthropic clients.',
  },
  'gateway:guardrails:every-way': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Batches and token counts are checked and masked like other requests, and masked values are recorded as hits.',
  },
  'gateway:guardrails:kinds': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Patterns can block requests; a response that does not match its schema is requested again, and every attempt is billed.',
  },
  'gateway:chat:guardrails': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Guardrails block input and output, including streams, or report hits in a header; if a guardrail is unreachable, requests are blocked.',
  },
  'gateway:embeddings': {
    source: 'docs/gateway.md#http-api',
    behavior: 'Embeddings and classifications are routed and billed in the same way as chat requests.',
  },
  'gateway:doors': {
    source: 'docs/gateway-clients.md',
    behavior:
      'Clients of the Gemini API and of legacy completions can use any provider and are billed; counting tokens is free.',
  },
  'gateway:clouds': {
    source: 'docs/gateway-config.md#azure-openai-amazon-bedrock-and-vertex-ai',
    behavior:
      "Clients of the OpenAI and Anthropic APIs can use Azure OpenAI, Amazon Bedrock and Vertex AI, buffered and streamed, with the cloud's own credentials; usage is recorded, and responses never contain secrets.",
  },
  'gateway:clients:azure': {
    source: 'docs/gateway-clients.md',
    behavior:
      'The `AzureOpenAI` class of the `openai` package supports chat, streaming and embeddings with any provider.',
  },
  'gateway:provider-keys': {
    source: 'docs/gateway.md#several-keys-of-a-provider',
    behavior:
      'A request whose provider key is rejected is sent with another key before its first byte; the key cools down, and usage, states and metrics show its name and never the key.',
  },
  'gateway:sessions': {
    source: 'docs/gateway.md#sessions-and-prompt-caches',
    behavior:
      'Requests of a session use the same provider key in all APIs, sessions are distributed among the keys, and usage shows what the provider’s cache saved.',
  },
  'gateway:idempotency': {
    source: 'docs/gateway.md#idempotency-keys',
    behavior:
      'Requests with the same Idempotency-Key run once and get the same response; the same key with another body is rejected.',
  },
  'gateway:cache': {
    source: 'docs/gateway.md#cache',
    behavior:
      'An identical request gets the cached response, buffered or streamed, at no cost; headers report cache hits, and a request can opt out.',
  },
  'gateway:cache:semantic': {
    source: 'docs/gateway.md#similar-questions',
    behavior:
      'If an encoder is configured, a similar question gets the cached response, unless the numbers in the questions differ.',
  },
  'gateway:strategies': {
    source: 'docs/gateway-config.md#aliases',
    behavior: 'An alias can select its cheapest, fastest or least busy target.',
  },
  'gateway:audio': {
    source: 'docs/gateway.md#audio',
    behavior:
      'Audio files are forwarded unchanged, and speech is streamed as it is generated; both are billed by the usage that the provider reports, or by duration.',
  },
  'gateway:stored': {
    source: 'docs/gateway.md#files-and-batches',
    behavior:
      'Files, batches and stored responses belong to the user who created them; a batch is billed exactly once, even if the gateway is killed in between.',
  },
  'gateway:realtime': {
    source: 'docs/gateway.md#realtime',
    behavior:
      "A WebSocket session is relayed with the gateway's own provider key, and each of its responses is billed.",
  },
  'gateway:otari': {
    source: 'docs/gateway-clients.md',
    behavior: 'Otari clients can use the same routes under /api/v1, with their key in Otari-Key.',
  },
  'gateway:clients:openai': {
    source: 'docs/gateway-clients.md#tested-clients',
    behavior:
      'The `openai` package supports chat, streaming, tool calls, embeddings and responses with any provider.',
  },
  'gateway:clients:anthropic': {
    source: 'docs/gateway-clients.md#tested-clients',
    behavior: 'The `@anthropic-ai/sdk` package supports chat, streaming and tool calls with any provider.',
  },
  'gateway:clients:ai': {
    source: 'docs/gateway-clients.md#tested-clients',
    behavior: 'The `ai` package supports text generation, streaming and tool calls with any provider.',
  },
  'gateway:clients:errors': {
    source: 'docs/gateway-clients.md#tested-clients',
    behavior:
      'Each of these clients throws typed errors with error codes for failed requests and broken streams.',
  },
} as const satisfies Behaviors;
