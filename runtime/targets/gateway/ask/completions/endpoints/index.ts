import type { Endpoint } from '../completion.ts';
import { chatEndpoint } from './chat.ts';
import { classifyEndpoint } from './classify.ts';
import { embeddingsEndpoint } from './embeddings.ts';
import type { EndpointRules } from './endpoint.ts';
import { messagesEndpoint } from './messages.ts';
import { responsesEndpoint } from './responses.ts';

export const ENDPOINTS: Readonly<Record<Endpoint, EndpointRules>> = {
  '/v1/chat/completions': chatEndpoint,
  '/v1/messages': messagesEndpoint,
  '/v1/responses': responsesEndpoint,
  '/v1/embeddings': embeddingsEndpoint,
  '/v1/classify': classifyEndpoint,
};
