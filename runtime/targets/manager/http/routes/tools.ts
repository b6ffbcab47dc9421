import { Type } from 'typebox';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { ManagerContext } from '../../context.ts';
import { type ManagerAppOptions, bodyOptions } from '../app-options.ts';
import { AppError } from '#contract/errors.ts';
import { isCaller } from '../../access/caller.ts';
import { serverCall } from '../env.ts';
import { directRoute, type Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { wordOf, wordIn } from '#serve/http/query.ts';
import {
  minimalToolsBody,
  toolArguments,
  toolsBody,
  toolSummariesBody,
  toolResultSchema,
  toolTextSchema,
} from '../schemas/tools.ts';
import { DETAILS, TOOL_VIEWS } from '../views/tool-view.ts';
import { SERVER_NAME } from './operations.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { createExchangeBodyReader } from '#serve/http/body.ts';
import { type HttpAnswer, type HttpExchange, JSON_TYPE } from '#serve/http/exchange.ts';
import { runAdmitted } from '#serve/lifecycle.ts';
import { clientDisconnected } from '#platform/wait-for.ts';
import { type Cancellation, Canceler } from '#core/limits/cancellation.ts';
import type { ServerCall } from '../../calls/call.ts';
import type { ToolResult, ContentBlock } from '../../shapes/results.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { serverName } from '../../config/server-name.ts';
import type { Redactor } from '#serve/redact.ts';
import { isRecord } from '../../shapes/shape.ts';

const TYPES = {
  minimal: 'ToolsResponseBodyToolMinimal',
  summary: 'ToolsResponseBodyToolSummary',
  full: 'ToolsResponseBodyTool',
} as const;

/** `/api/v1/servers/{name}/tools`: lists and calls tools. */
export function toolRoutes(
  context: ManagerContext,
  { guards, route, answer }: ManagerHttpParts,
  options: ManagerAppOptions,
): readonly Route[] {
  const { calls } = context;
  const callTool = createToolCallAnswer(context, options);
  return [
    route({
      method: 'get',
      path: '/api/v1/servers/:name/tools',
      guard: guards.upstream,
      id: 'listTools',
      tag: 'Tools',
      summary: 'List a server’s tools.',
      parameters: [
        SERVER_NAME,
        {
          name: 'detail',
          in: 'query',
          description:
            'Level of detail: `minimal` returns names and titles, `summary` adds descriptions, `full` returns all members.',
          example: 'summary',
          schema: oneOf(DETAILS, { default: 'full' }),
        },
      ],
      answer: {
        description: 'The tools in server order.',
        schema: Type.Union([toolsBody, toolSummariesBody, minimalToolsBody]),
        examples: { full: { tools: [TIME_TOOL] }, minimal: { tools: [{ name: 'get_current_time' }] } },
      },
      errors: [422],
      run: async (c) => {
        const detail = wordOf(c, 'detail', DETAILS, 'full');
        const tools = await calls.listTools(serverCall(c, c.req.param('name')));
        return answer(c, TYPES[detail], { tools: tools.map(TOOL_VIEWS[detail]) });
      },
    }),
    directRoute({
      method: 'post',
      path: '/api/v1/servers/:server/tools/:tool',
      guard: guards.upstream,
      id: 'callTool',
      tag: 'Tools',
      summary: 'Call a tool.',
      description:
        'Numbers are passed to the server exactly as written. If the client disconnects, the call is canceled.',
      parameters: [
        { ...SERVER_NAME, name: 'server' },
        { name: 'tool', description: 'Name of the tool (case-insensitive).', example: 'get_current_time' },
        RESULT_PARAMETER,
      ],
      request: { schema: toolArguments, examples: { arguments: { timezone: 'UTC' } } },
      ...RESULT_ANSWERS,
      errors: BODY_ERRORS,
      direct({ exchange, requestId, caller, parts: [server = '', tool = ''] }) {
        if (!isCaller(caller)) throw new AppError('InternalError', 'A tool was called without a caller.');
        return callTool(exchange, { caller, server, tool, requestId });
      },
    }),
  ];
}

const TIME_TOOL = {
  name: 'get_current_time',
  description: 'Current time in a time zone.',
  inputSchema: {
    type: 'object',
    properties: { timezone: { type: 'string' } },
    required: ['timezone'],
  },
};

/** The header with which a client confirms a tool call, as `server/tool`, if an approval rule requires confirmation. */
const CONFIRM_HEADER = 'x-confirm-tool';

interface ToolCall extends Pick<ServerCall, 'caller' | 'server' | 'requestId'> {
  readonly tool: string;
}

/** Calls a tool with the request's JSON and responds with its result. Shutdown waits for the response. */
type AnswerToolCall = (exchange: HttpExchange, call: ToolCall) => Promise<void>;

/** Determines the result format that a request asks for; returns the function that creates the response. */
type ResultForm = (exchange: HttpExchange) => ToolAnswer;

/** Creates the response with a tool's result, or throws an UpstreamError if the tool failed. */
type ToolAnswer = (call: CalledTool, result: ToolResult, redact: Redactor) => HttpAnswer;

interface ToolCallForm {
  readonly result?: ResultForm;
  /** Whether a request without a body calls the tool with no arguments. */
  readonly bodyIsOptional?: boolean;
}

/** Cancels a call when the client disconnects. */
function disconnection(exchange: HttpExchange): Cancellation {
  const canceler = new Canceler();
  exchange.onGone(() => canceler.abort(clientDisconnected()));
  return canceler;
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
      // Checked before the call, because a call's effects cannot be undone.
      const answer = resultOf(exchange);
      const result = await calls.callTool({
        ...call,
        args,
        headers: exchange.headers,
        confirmation: exchange.headers.get(CONFIRM_HEADER) ?? undefined,
        signal: disconnection(exchange),
      });
      exchange.answer(answer(call, result, redact));
    });
}

/**
 * Converts a tool result to one string, the only type in the API contract: its text blocks joined by line
 * breaks, or its structured content as JSON, or its content as JSON. A result without content becomes an
 * empty string.
 */
export function toolText({ content = [], structuredContent }: ToolResult): string {
  const texts = content.filter(isText).map(({ text }) => text);
  if (texts.length > 0) return texts.join('\n');
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.length === 0 ? '' : JSON.stringify(content);
}

const isText = (block: ContentBlock): block is ContentBlock & { text: string } =>
  block.type === 'text' && typeof block.text === 'string';

/** The media type for complete results, which clients can request with the `Accept` header. */
const RESULT_TYPE = 'application/vnd.mcp.tool-result+json';

const FORMS = ['text', 'full'] as const;

interface CalledTool {
  /** Names as the caller spelled them. */
  readonly server: string;
  readonly tool: string;
}

/** Returns the requested result format: text or the complete result. Throws an InputError for an unknown format. */
const requestedForm: ResultForm = ({ url, headers }) => {
  const accept = (headers.get('accept') ?? '').split(',');
  const ownType = accept.some((one) => one.split(';')[0]?.trim().toLowerCase() === RESULT_TYPE);
  const query = url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?'))) : undefined;
  const form = wordIn(query?.get('result') ?? undefined, 'result', FORMS, ownType ? 'full' : 'text');
  if (form === 'text') return toolTextAnswer;
  return ownType ? ownFullAnswer : jsonFullAnswer;
};

/** Creates the response with a tool's text. Throws an UpstreamError if the tool failed. */
const toolTextAnswer: ToolAnswer = (call, result, redact) => {
  if (result.isError === true) throw failureOf(call, result, redact);
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(toolText(result)) };
};

/** Creates the response with a complete result, even if the tool failed. */
const fullAnswer =
  (mediaType: string): ToolAnswer =>
  (_call, result) => ({
    status: 200,
    headers: { 'content-type': mediaType },
    body: JSON.stringify(result),
  });
const ownFullAnswer = fullAnswer(RESULT_TYPE);
const jsonFullAnswer = fullAnswer('application/json');

/** Creates the response with a tool's result as one JSON value. Throws an UpstreamError if the tool failed. */
export const toolValueAnswer: ToolAnswer = (call, result, redact) => {
  if (result.isError === true) throw failureOf(call, result, redact);
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(toolValue(result)) };
};

/** Creates the error for a failed tool, with its text and structured content. */
function failureOf({ server, tool }: CalledTool, result: ToolResult, redact: Redactor): AppError {
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

const RESULT_PARAMETER = {
  name: 'result',
  in: 'query',
  description: '`full` returns the complete result, and status 200 even if the tool failed.',
  example: 'full',
  schema: oneOf(FORMS, { default: 'text' }),
} as const;

const RESULT_ANSWERS: Pick<Operation, 'answer' | 'otherAnswers'> = {
  answer: {
    description: 'The result as one string, or with `result=full` the complete result.',
    schema: toolTextSchema,
    examples: { text: '2026-01-31T12:00:00Z' },
  },
  otherAnswers: [
    {
      mediaType: RESULT_TYPE,
      schema: toolResultSchema,
      examples: { result: { content: [{ type: 'text', text: '2026-01-31T12:00:00Z' }] } },
    },
  ],
};

/**
 * Converts a tool result to one JSON value, as mcpo does for Open WebUI: JSON text is parsed, an image
 * becomes a data URL, and a result with several parts becomes a list. For a result without content, uses its
 * structured content.
 */
function toolValue({ content = [], structuredContent }: ToolResult): unknown {
  if (content.length === 0 && structuredContent !== undefined) return structuredContent;
  const values = content.map(blockValue);
  return values.length === 1 ? values[0] : values;
}

function blockValue(block: ContentBlock): unknown {
  switch (block.type) {
    case 'text':
      return textValue(block.text);
    case 'image':
    case 'audio':
      return dataUrl(block['mimeType'], block['data']);
    case 'resource':
      return resourceValue(block['resource']);
    case 'resource_link':
      return block['uri'];
    default:
      return block;
  }
}

function resourceValue(resource: unknown): unknown {
  if (!isRecord(resource)) return resource;
  const { text, blob, mimeType } = resource;
  return text === undefined ? dataUrl(mimeType, blob) : textValue(text);
}

function textValue(text: unknown): unknown {
  try {
    return parseLossless(String(text));
  } catch {
    return text;
  }
}

const dataUrl = (mimeType: unknown, data: unknown): string =>
  `data:${typeof mimeType === 'string' ? mimeType : 'application/octet-stream'};base64,${String(data)}`;
