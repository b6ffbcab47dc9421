import { parseLossless } from '#core/json/lossless-json.ts';
import { createExchangeBodyReader } from '#serve/http/body.ts';
import { disconnectSignal, type HttpAnswer, type HttpExchange, JSON_TYPE } from '#serve/http/exchange.ts';
import { runAdmitted } from '#serve/lifecycle.ts';
import type { ServerCall } from '../calls/call.ts';
import type { ManagerContext } from '../context.ts';
import { bodyOptions, type ManagerAppOptions } from './app-options.ts';
import type { ToolResult, ContentBlock } from '../shapes/results.ts';
import { toolArguments, toolResult, toolText as toolTextSchema } from './schemas/tools.ts';
import { AppError } from '#contract/errors.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { serverName } from '../config/server-name.ts';
import type { Redactor } from '#serve/redact.ts';
import { wordIn } from '#serve/http/query.ts';
import { toolValue } from './views/tool-value.ts';

/** The header with which a client confirms the call of a tool, as `server/tool`, if an approval rule requires it. */
const CONFIRM_HEADER = 'x-confirm-tool';

interface ToolCall extends Pick<ServerCall, 'caller' | 'server' | 'requestId'> {
  readonly tool: string;
}

/** Calls a tool with the JSON of the request and responds with its result. A shutdown waits for the response. */
export type AnswerToolCall = (exchange: HttpExchange, call: ToolCall) => Promise<void>;

/** Reads what form of result a request asks for; returns the function that creates the response. */
type ResultForm = (exchange: HttpExchange) => (call: CalledTool, result: ToolResult) => HttpAnswer;

const requestedForm: ResultForm = (exchange) => {
  const form = resultForm(exchange);
  return (call, result) => toolAnswer(call, result, form);
};

interface ToolCallForm {
  readonly result?: ResultForm;
  /** Whether a request without a body calls the tool without arguments. */
  readonly bodyIsOptional?: boolean;
}

export function createToolCallAnswer(
  { calls, kernel }: ManagerContext,
  options: ManagerAppOptions,
  { result: resultOf = requestedForm, bodyIsOptional = false }: ToolCallForm = {},
): AnswerToolCall {
  const readArguments = createExchangeBodyReader({
    ...bodyOptions(options),
    ...(bodyIsOptional && { emptyMessage: undefined, emptyBody: {} }),
    parse: parseLossless,
  });
  const { redact } = options;
  return (exchange, call) =>
    runAdmitted(kernel.lifecycle, async () => {
      const args = await readArguments(exchange, toolArguments);
      // Checked before the call, because its effects cannot be undone.
      const answer = resultOf(exchange);
      const result = await calls.callTool({
        ...call,
        args,
        headers: exchange.headers,
        confirmation: exchange.headers.get(CONFIRM_HEADER) ?? undefined,
        signal: disconnectSignal(exchange),
      });
      exchange.answer(answer({ ...call, redact }, result));
    });
}

/**
 * Converts the result of a tool to one string, the only type in the API contract: its text blocks, joined by line breaks, or
 * its structured content as JSON, or its content as JSON. A result without content becomes an empty string.
 */
export function toolText({ content = [], structuredContent }: ToolResult): string {
  const texts = content.filter(isText).map(({ text }) => text);
  if (texts.length > 0) return texts.join('\n');
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.length === 0 ? '' : JSON.stringify(content);
}

const isText = (block: ContentBlock): block is ContentBlock & { text: string } =>
  block.type === 'text' && typeof block.text === 'string';

/** The media type of a complete result, which clients can request with the header `Accept`. */
const RESULT_TYPE = 'application/vnd.mcp.tool-result+json';

const FORMS = ['text', 'full'] as const;

interface CalledTool {
  /** Names as the caller wrote them. */
  readonly server: string;
  readonly tool: string;
  readonly redact: Redactor;
}

interface WantedForm {
  readonly isFull: boolean;
  readonly mediaType: string;
}

/** Returns the requested form of the result: its text or the complete result. Throws an InputError for an unknown form. */
function resultForm({ url, headers }: HttpExchange): WantedForm {
  const accept = (headers.get('accept') ?? '').split(',');
  const ownType = accept.some((one) => one.split(';')[0]?.trim().toLowerCase() === RESULT_TYPE);
  const query = url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?'))) : undefined;
  const form = wordIn(query?.get('result') ?? undefined, 'result', FORMS, ownType ? 'full' : 'text');
  const isFull = form === 'full';
  return { isFull, mediaType: isFull && ownType ? RESULT_TYPE : 'application/json' };
}

/** Creates the response with the result of a tool. Throws an UpstreamError if the tool failed and its text was requested. */
function toolAnswer(call: CalledTool, result: ToolResult, { isFull, mediaType }: WantedForm): HttpAnswer {
  if (!isFull && result.isError === true) throw failureOf(call, result);
  const body = JSON.stringify(isFull ? result : toolText(result));
  return { status: 200, headers: { 'content-type': mediaType }, body };
}

/** Creates the response with the result of a tool as one JSON value. Throws an UpstreamError if the tool failed. */
export function toolValueAnswer(call: CalledTool, result: ToolResult): HttpAnswer {
  if (result.isError === true) throw failureOf(call, result);
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(toolValue(result)) };
}

/** Creates the error of a failed tool, with its text and its structured content. */
function failureOf({ server, tool, redact }: CalledTool, result: ToolResult): AppError {
  const owner = serverName(server);
  const { structuredContent } = result;
  return new AppError('UpstreamError', 'MCP server error calling tool', {
    details: [
      {
        location: 'path.tool',
        message: redact.text(`tool call failed: ${server}/${tool}: ${toolText(result)}`, owner),
        ...(structuredContent === undefined ? {} : { value: redact.value(structuredContent, owner) }),
      },
    ],
  });
}

export const RESULT_PARAMETER = {
  name: 'result',
  in: 'query',
  description: '`full` returns the complete result, and status 200 even if the tool failed.',
  example: 'full',
  schema: oneOf(FORMS, { default: 'text' }),
} as const;

export const RESULT_ANSWERS: Pick<Operation, 'answer' | 'otherAnswers'> = {
  answer: {
    description: 'The result as one string, or with `result=full` the complete result.',
    schema: toolTextSchema,
    examples: { text: '2026-01-31T12:00:00Z' },
  },
  otherAnswers: [
    {
      mediaType: RESULT_TYPE,
      schema: toolResult,
      examples: { result: { content: [{ type: 'text', text: '2026-01-31T12:00:00Z' }] } },
    },
  ],
};
