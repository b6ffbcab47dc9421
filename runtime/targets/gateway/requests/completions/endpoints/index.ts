import { keysOf } from '#core/values/keys.ts';
import type { Endpoint } from '../completion.ts';
import {
  chatEndpoint,
  completionsEndpoint,
  imagesEndpoint,
  moderationsEndpoint,
  rerankEndpoint,
  embeddingsEndpoint,
  responsesEndpoint,
} from './openai.ts';
import { classifyEndpoint } from './classify.ts';
import { geminiEndpoint, geminiBatchEmbedEndpoint, geminiEmbedEndpoint } from './gemini.ts';
import { speechEndpoint, transcriptionsEndpoint, translationsEndpoint } from './audio.ts';
import type { EndpointRules } from './endpoint.ts';
import { messagesEndpoint } from './messages.ts';

export const ENDPOINTS: Readonly<Record<Endpoint, EndpointRules>> = {
  '/v1/chat/completions': chatEndpoint,
  '/v1/messages': messagesEndpoint,
  '/v1/responses': responsesEndpoint,
  '/v1/embeddings': embeddingsEndpoint,
  '/v1/classify': classifyEndpoint,
  '/v1/completions': completionsEndpoint,
  '/v1/moderations': moderationsEndpoint,
  '/v1/rerank': rerankEndpoint,
  '/v1/images/generations': imagesEndpoint,
  '/v1/audio/transcriptions': transcriptionsEndpoint,
  '/v1/audio/translations': translationsEndpoint,
  '/v1/audio/speech': speechEndpoint,
  '/v1beta/models/{model}:generateContent': geminiEndpoint,
  '/v1beta/models/{model}:streamGenerateContent': geminiEndpoint,
  '/v1beta/models/{model}:embedContent': geminiEmbedEndpoint,
  '/v1beta/models/{model}:batchEmbedContents': geminiBatchEmbedEndpoint,
};

/** Endpoints whose requests contain the model in their body. */
export const BODY_ENDPOINTS = keysOf(ENDPOINTS).filter((endpoint) => !endpoint.includes('{'));
