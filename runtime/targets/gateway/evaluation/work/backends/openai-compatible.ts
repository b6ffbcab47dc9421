import { openAiAdapter } from '../../../providers/adapters/openai/adapter.ts';
import { OPENAI_DIALECT, PRESETS } from '../../../providers/adapters/presets.ts';
import type { OpenBackend } from './backend.ts';
import { upstreamAt } from './address.ts';
import { chatModel } from './chat-model.ts';
import { connect } from './connect.ts';
import { createRequestSlots } from './request-slots.ts';
import { shownAddress } from './shown-address.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

export const openOpenAiCompatible: OpenBackend<'openai-compatible'> = async (backend, tools, options) => {
  const { baseUrl, model, secretName } = backend;
  const { pacing, maxConcurrency } = options;
  const apiKey = secretName === null ? undefined : await tools.secret(secretName);
  const name = `The model ${model} at ${shownAddress(baseUrl)}`;
  const adapter = openAiAdapter();
  const { trusted: local } = tools;
  const upstream = upstreamAt({ name, baseUrl, local, apiKey, adapter, connections: maxConcurrency });
  const slots = createRequestSlots(maxConcurrency, pacing.clock);
  const connection = connect({ name, upstream, adapter, apiKey, slots }, pacing);
  return chatModel({ name, model, maxTokens: maxTokensAt(baseUrl) }, connection);
};

/** The name of the token limit, which depends on the provider. Providers are recognized by their base URL. */
const maxTokensAt = (baseUrl: string) =>
  Object.values(PRESETS).find((preset) => preset.baseUrl === trimEndOf(baseUrl, '/'))?.dialect?.maxTokens ??
  OPENAI_DIALECT.maxTokens;
