import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  toJson,
} from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { createJsonClient } from '#serve/client/json-client.ts';
import { HTTPRequestSchema, HTTPResponseSchema } from '#gen/mozilla/mcpd/plugins/v1/plugin_pb.ts';
import { CONTINUE, MAX_PLUGIN_BODY_BYTES, type PluginAnswer } from '../exchange.ts';
import type { OpenPlugin } from '../open-plugin.ts';
import type { HookLaunch, PluginSpec } from '../../config/plugin-settings.ts';

/** Maximum response size. It takes into account that a body is a third larger in JSON. */
const MAX_ANSWER_BYTES = 2 * MAX_PLUGIN_BODY_BYTES;

/**
 * Opens a plugin that is an HTTP server. It receives POST requests to `<url>/HandleRequest` and
 * `<url>/HandleResponse` with the messages of the plugin gRPC service in protobuf's JSON format:
 * https://protobuf.dev/programming-guides/json. Status 204 means to continue without changes. The plugin's
 * configuration is sent in headers.
 */
export function openHook({ flows, timeoutMs, config }: PluginSpec, { url }: HookLaunch): OpenPlugin {
  const client = createJsonClient(parseUrl(url), {
    headers: config,
    connections: 64,
    maxResponseBytes: MAX_ANSWER_BYTES,
  });
  const ended = Promise.withResolvers<string>();

  const call = async <Schema extends DescMessage>(
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
    if (status === 204) return CONTINUE;
    if (status !== 200) throw new Error(`it returned status ${status} instead of 200 or 204`);
    return fromJson(HTTPResponseSchema, parseJsonText(text) as JsonValue, { ignoreUnknownFields: true });
  };

  return {
    flows,
    ended: ended.promise,
    handleRequest: (request) => call('HandleRequest', HTTPRequestSchema, request),
    handleResponse: (response) => call('HandleResponse', HTTPResponseSchema, { ...response, continue: true }),
    async close() {
      await client.close();
      ended.resolve('It was closed.');
    },
  };
}

function parseUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw configError(
    `Invalid url ${JSON.stringify(url)}. Use an HTTP URL, e.g. "http://127.0.0.1:9000/hook".`,
  );
}
