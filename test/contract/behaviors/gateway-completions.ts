import type { Behaviors } from './behavior.ts';

/** What the gateway promises to clients that call models. */
export const GATEWAY_COMPLETIONS = {
  'gateway:chat': {
    source: 'docs/gateway-clients.md#conversions',
    behavior:
      "A request reaches the provider and its response the client, byte for byte except for the model's name.",
  },
  'gateway:chat:stream': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'A stream contains the provider’s chunks and [DONE], and usage only if requested; its usage row is written first.',
  },
  'gateway:chat:broken-stream': {
    source: 'docs/gateway-config.md#providers',
    behavior:
      'A broken stream ends with an error event, never as if complete, and is billed for what was sent.',
  },
  'gateway:chat:left': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'A client that disconnects from a stream cancels the provider request and is billed by estimate for what was streamed; before the first byte, the response is read to its end and billed.',
  },
  'gateway:chat:refused': {
    source: 'docs/gateway.md#errors',
    behavior: 'An invalid request is reported with its status, a stable code and the member, in this order.',
  },
  'gateway:chat:user': {
    source: 'docs/gateway.md#http-api',
    behavior: 'The master key must name the user to bill; a key bills only its own user.',
  },
  'gateway:chat:provider-errors': {
    source: 'docs/gateway.md#errors',
    behavior: 'Provider errors are mapped to gateway statuses, with Retry-After and without secrets.',
  },
  'gateway:chat:limits': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior:
      'Rate limits reject with 429 and budgets with 403, including a single request that exceeds the budget; a budget rejects models without a price with 402; headers report the remaining requests.',
  },
  'gateway:chat:limits:agents': {
    source: 'docs/gateway.md#users-and-budgets',
    behavior:
      'A budget rejects with 402 `billing_error` on /v1/messages and with 429 `insufficient_quota` on /v1/responses, and advises against retries.',
  },
  'gateway:chat:alias': {
    source: 'docs/gateway-config.md#aliases',
    behavior: 'An alias falls back to its next target, and each attempt is recorded.',
  },
  'gateway:guardrails:mask': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Entities that an executable finds are masked for the model and restored in responses and streams of every API.',
  },
  'gateway:guardrails:mask-output': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Model output is masked in responses and streams of every API, as OpenAI and Anthropic clients read them.',
  },
  'gateway:guardrails:every-way': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Batches and token counts are checked and masked like requests, and masks are recorded as hits.',
  },
  'gateway:guardrails:kinds': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Patterns block requests; a response that does not match its schema is requested again, and every attempt is billed.',
  },
  'gateway:chat:guardrails': {
    source: 'docs/gateway-config.md#guardrails',
    behavior:
      'Guardrails block input and output, including streams, or report hits in a header; if unreachable, they block.',
  },
  'gateway:embeddings': {
    source: 'docs/gateway.md#http-api',
    behavior: 'Embeddings and classifications are routed and billed in the same way.',
  },
  'gateway:doors': {
    source: 'docs/gateway-clients.md',
    behavior:
      'Clients of the Gemini API and of legacy completions reach any provider and are billed; counting tokens is free.',
  },
  'gateway:clouds': {
    source: 'docs/gateway-config.md#azure-openai-amazon-bedrock-and-vertex-ai',
    behavior:
      'Azure OpenAI, Amazon Bedrock and Vertex AI serve clients of the OpenAI and Anthropic APIs, buffered and streamed, with their own credentials; usage is recorded, and no response contains their secrets.',
  },
  'gateway:clients:azure': {
    source: 'docs/gateway-clients.md',
    behavior: 'The `AzureOpenAI` class of the `openai` package chats, streams and embeds, with any provider.',
  },
  'gateway:cache': {
    source: 'docs/gateway.md#cache',
    behavior:
      'An identical request gets the cached response, buffered or streamed, at no cost; headers report it, and a request can opt out.',
  },
  'gateway:cache:semantic': {
    source: 'docs/gateway.md#similar-questions',
    behavior: 'With an encoder, a similar question gets the cached response, unless its numbers differ.',
  },
  'gateway:strategies': {
    source: 'docs/gateway-config.md#aliases',
    behavior: 'An alias selects its cheapest, fastest or least busy target.',
  },
  'gateway:audio': {
    source: 'docs/gateway.md#audio',
    behavior:
      'Audio files arrive unchanged and speech is streamed as it is produced; both are billed by the usage that the provider reports, or by duration.',
  },
  'gateway:stored': {
    source: 'docs/gateway.md#files-and-batches',
    behavior:
      'Files, batches and stored responses belong to the user who created them; a batch is billed exactly once, even if the gateway is killed in between.',
  },
  'gateway:realtime': {
    source: 'docs/gateway.md#realtime',
    behavior:
      "A WebSocket session is relayed with the gateway's own key, and each of its responses is billed.",
  },
  'gateway:otari': {
    source: 'docs/gateway-clients.md',
    behavior: 'Otari clients reach the same routes under /api/v1, with their key in Otari-Key.',
  },
  'gateway:clients:openai': {
    source: 'docs/gateway-clients.md#tested-clients',
    behavior:
      'The `openai` package chats, streams, calls tools, embeds and uses responses, with any provider.',
  },
  'gateway:clients:anthropic': {
    source: 'docs/gateway-clients.md#tested-clients',
    behavior: 'The `@anthropic-ai/sdk` package chats, streams and calls tools, with any provider.',
  },
  'gateway:clients:ai': {
    source: 'docs/gateway-clients.md#tested-clients',
    behavior: 'The `ai` package generates, streams and calls tools, with any provider.',
  },
  'gateway:clients:errors': {
    source: 'docs/gateway-clients.md#tested-clients',
    behavior: 'Errors and broken streams are typed errors with their code for each of these clients.',
  },
} as const satisfies Behaviors;
