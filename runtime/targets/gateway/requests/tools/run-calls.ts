import { isObject } from '#core/json/is-object.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { truncateWellFormed } from '../../shared/truncate-text.ts';
import type { Telemetry, ToolCallEvent } from '../completions/telemetry.ts';
import { failureText } from './mcp-client.ts';
import type { ToolServers } from './tool-servers.ts';
import type { FunctionCall, NamedTool, Step } from './wires/wire.ts';

interface RunParts {
  readonly servers: ToolServers;
  readonly userId: string;
  readonly requestId: string;
  readonly telemetry: Pick<Telemetry, 'toolCalled'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A call with its tool. */
export interface ToolCall {
  readonly call: FunctionCall;
  readonly tool: NamedTool;
}

/** Runs calls in parallel. Errors become results, which the model reads. Nothing about arguments or results is logged. */
export async function runCalls(
  calls: readonly ToolCall[],
  parts: RunParts,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  return await Promise.all(calls.map((one) => runCall(one, parts, signal)));
}

async function runCall(
  { call, tool }: ToolCall,
  { servers, userId, requestId, telemetry, clock, log }: RunParts,
  signal: AbortSignal,
): Promise<Step> {
  const { settings } = servers;
  const startedAt = clock.now();
  const end = (output: string, outcome: ToolCallEvent['outcome']): Step => {
    const durationMs = Math.round(clock.now() - startedAt);
    const isError = outcome !== 'success';
    log.info({ requestId, server: tool.label, tool: tool.tool, isError, durationMs }, 'tool called');
    telemetry.toolCalled({ server: tool.label, outcome, durationMs });
    return { ...call, tool, output, isError };
  };
  const server = settings.servers.get(tool.label);
  if (!server) return failedStep({ call, tool }, `MCP server '${tool.label}' is not configured.`);
  let args: unknown;
  try {
    args = call.args.trim() === '' ? {} : parseLossless(call.args);
  } catch {
    args = undefined;
  }
  if (!isObject(args)) return failedStep({ call, tool }, 'The arguments are not a JSON object.');
  try {
    const result = await servers.call(server, userId, { tool: tool.tool, args }, signal);
    const text = limited(textOfResult(result), settings.maxResultCharacters);
    return end(text, result['isError'] === true ? 'error' : 'success');
  } catch (error) {
    return end(failureText(tool.label, error), signal.aborted ? 'canceled' : 'failed');
  }
}

/** The step of a call that did not run. */
export const failedStep = ({ call, tool }: ToolCall, output: string): Step => ({
  ...call,
  tool,
  output,
  isError: true,
});

const limited = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${truncateWellFormed(text, max)}\n[The result has ${text.length} characters; the rest was removed.]`;

/** The text of a result. Models receive the type of images and audio only, because not all providers accept them here. */
function textOfResult({ content, structuredContent }: Readonly<Record<string, unknown>>): string {
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const texts = parts.map((part) => {
    const { type, text, mimeType, resource, uri } = part;
    if (type === 'text') return typeof text === 'string' ? text : '';
    if (type === 'resource' && isObject(resource) && typeof resource['text'] === 'string')
      return resource['text'];
    if (type === 'resource_link') return typeof uri === 'string' ? uri : '';
    return `[${String(type)}${typeof mimeType === 'string' ? ` ${mimeType}` : ''}]`;
  });
  if (texts.length > 0) return texts.join('\n');
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent);
}
