import { AppError } from '#contract/errors.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { ToolResult } from '../shapes/results.ts';
import { serverName } from '../config/server-name.ts';
import type { Redactor } from '#serve/redact.ts';
import { type HttpAnswer, type HttpExchange, JSON_TYPE } from '#serve/http/exchange/exchange.ts';
import { wordIn } from '#serve/http/query.ts';
import { toolResult, toolText as toolTextSchema } from './schemas/tools.ts';
import { toolText } from './views/tool-text.ts';
import { toolValue } from './views/tool-value.ts';

/** The media type of a complete result, which clients can request with the header `Accept`. */
const RESULT_TYPE = 'application/vnd.mcp.tool-result+json';

const FORMS = ['text', 'full'] as const;

export interface CalledTool {
  /** Names as the caller wrote them. */
  readonly server: string;
  readonly tool: string;
  readonly redact: Redactor;
}

interface ResultForm {
  readonly isFull: boolean;
  readonly mediaType: string;
}

/** Returns the requested form of the result: its text or the complete result. Throws an InputError for an unknown form. */
export function resultForm({ url, headers }: HttpExchange): ResultForm {
  const accept = (headers.get('accept') ?? '').split(',');
  const ownType = accept.some((one) => one.split(';')[0]?.trim().toLowerCase() === RESULT_TYPE);
  const query = url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?'))) : undefined;
  const form = wordIn(query?.get('result') ?? undefined, 'result', FORMS, ownType ? 'full' : 'text');
  const isFull = form === 'full';
  return { isFull, mediaType: isFull && ownType ? RESULT_TYPE : 'application/json' };
}

/** Creates the response with the result of a tool. Throws an UpstreamError if the tool failed and its text was requested. */
export function toolAnswer(
  call: CalledTool,
  result: ToolResult,
  { isFull, mediaType }: ResultForm,
): HttpAnswer {
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
