import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  toJson,
} from '@bufbuild/protobuf';
import { configError } from '../../../../contract/errors.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { createJsonClient } from '../../../../serve/client/json-client.ts';
import { HTTPRequestSchema, HTTPResponseSchema } from '../../../../gen/mozilla/mcpd/plugins/v1/plugin_pb.ts';
import { GO_ON, MAX_PLUGIN_BODY_BYTES, type PluginAnswer } from '../exchange.ts';
import type { OpenPlugin } from '../open-plugin.ts';
import type { HookLaunch, PluginSpec } from '../../config/plugin-settings.ts';

/** Bytes are a third longer in JSON. */
const MAX_ANSWER_BYTES = 2 * MAX_PLUGIN_BODY_BYTES;

/**
 * Asks a server, by POST to `<url>/HandleRequest` and `<url>/HandleResponse`. The bodies are the messages of the plugins' gRPC
 * service in protobuf's JSON: https://protobuf.dev/programming-guides/json. 204 means to go on. What the hook is configured with are
 * headers of these requests.
 */
export function openHook({ flows, timeoutMs, config }: PluginSpec, { url }: HookLaunch): OpenPlugin {
  const client = createJsonClient(parseUrl(url), {
    headers: config,
    connections: 64,
    maxResponseBytes: MAX_ANSWER_BYTES,
  });
  const over = Promise.withResolvers<string>();

  const ask = async <Schema extends DescMessage>(
    method: string,
    schema: Schema,
    message: MessageInitShape<Schema>,
  ): Promise<PluginAnswer> => {
    const { status, text } = await client.ask({
      method: 'POST',
      path: `/${method}`,
      body: JSON.stringify(toJson(schema, create(schema, message))),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (status === 204) return GO_ON;
    if (status !== 200) throw new Error(`it answered with the status ${status}; 200 and 204 are understood`);
    return fromJson(HTTPResponseSchema, parseJsonText(text) as JsonValue, { ignoreUnknownFields: true });
  };

  return {
    flows,
    ended: over.promise,
    handleRequest: (request) => ask('HandleRequest', HTTPRequestSchema, request),
    handleResponse: (response) => ask('HandleResponse', HTTPResponseSchema, { ...response, continue: true }),
    async close() {
      await client.close();
      over.resolve('It was closed.');
    },
  };
}

function parseUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw configError(
    `${JSON.stringify(url)} is not a URL of HTTP. Write url as in "http://127.0.0.1:9000/hook".`,
  );
}
