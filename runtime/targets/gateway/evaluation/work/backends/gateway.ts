import { isObject } from '#core/json/is-object.ts';
import type { LabelScores } from '../../../providers/adapters/provider.ts';
import { openAiAdapter } from '../../../providers/adapters/openai/adapter.ts';
import { OPENAI_DIALECT } from '../../../providers/adapters/presets.ts';
import { embeddingsUsage } from '../../../providers/adapters/usage-of.ts';
import type { BatchCall, Model, OpenBackend } from './backend.ts';
import { upstreamAt } from './address.ts';
import { chatModel, embeddingsOf } from './chat-model.ts';
import { connect, type Connection } from './connect.ts';
import { openExecutable } from './encoder-file.ts';
import { readAll } from './encoder-model.ts';
import { createRequestSlots } from './request-slots.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** A model of this gateway, billed to the owner of the job, or an encoder of it whose executable the worker has fetched. */
export const openGateway: OpenBackend<'gateway'> = async ({ model }, tools, options) => {
  const fetched = tools.files?.get(model);
  if (fetched !== undefined) return await openExecutable({ name: model, path: fetched }, tools, options);
  const { pacing, maxConcurrency } = options;
  const name = `The model ${model}`;
  const adapter = openAiAdapter();
  const { url, token: apiKey } = tools.gateway;
  // The operator sets the URL of the gateway, so private addresses are allowed.
  const local = true;
  const baseUrl = `${trimEndOf(url, '/')}/v1`;
  const upstream = upstreamAt({ name, baseUrl, local, apiKey, adapter, connections: maxConcurrency });
  const slots = createRequestSlots(maxConcurrency, pacing.clock);
  const connection = connect({ name, upstream, adapter, apiKey, slots }, pacing);
  if (model.startsWith('encoder:')) return encoderOf(name, model, connection);
  return chatModel({ name, model, maxTokens: OPENAI_DIALECT.maxTokens }, connection);
};

const encoderOf = (name: string, model: string, connection: Connection): Model => ({
  name,
  modelType: undefined,
  labels: undefined,
  classify: classifyWith(name, model, connection),
  embed: embeddingsOf(name, model, connection),
  close: connection.close,
});

function classifyWith(name: string, model: string, connection: Connection): BatchCall<LabelScores> {
  return async (input, signal) => {
    const answer = await connection.request({ path: '/classify', body: { model, input } }, signal);
    const values = readAll(name, answer, 'data', input.length, ({ scores }) =>
      isObject(scores) ? (scores as LabelScores) : undefined,
    );
    return { values, tokens: embeddingsUsage(answer.json)?.promptTokens ?? 0 };
  };
}
