import type { Context } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import type { Operation } from '../../../serve/http/openapi/operation.ts';
import { oneOf } from '../../../serve/http/schemas.ts';
import type { ToolResult } from '../shapes/results.ts';
import { serverName } from '../config/server-name.ts';
import type { Redactor } from '../../../serve/redact.ts';
import { wordOf } from '../../../serve/http/query.ts';
import { toolResult, toolText as toolTextSchema } from './schemas/tools.ts';
import { jsonAnswer } from './struct-answer.ts';
import { toolText } from './views/tool-text.ts';

/** Asks for the whole result, by the header `Accept`. */
const RESULT_TYPE = 'application/vnd.mcp.tool-result+json';

const FORMS = ['text', 'full'] as const;

export interface ToolCall {
  /** As the caller wrote them. */
  readonly server: string;
  readonly tool: string;
  readonly run: () => Promise<ToolResult>;
  readonly redact: Redactor;
}

/** A tool's result as the text the contract has for it, and its failure as an error; or all of it, if that is asked for. */
export async function answerWithResult(c: Context, call: ToolCall): Promise<Response> {
  // Checked before the call: what it does cannot be undone.
  const ownType = accepts(c, RESULT_TYPE);
  const asked = wordOf(c, 'result', FORMS, ownType ? 'full' : 'text');
  const result = await call.run();
  if (asked === 'full') return jsonAnswer(c, result, ownType ? RESULT_TYPE : 'application/json');
  return jsonAnswer(c, textOfCall(call, result));
}

/** What a call comes to as text. Throws an UpstreamError if the tool failed. */
export function textOfCall(call: Omit<ToolCall, 'run'>, result: ToolResult): string {
  if (result.isError === true) throw failureOf(call, result);
  return toolText(result);
}

/** All the tool had to say about it. */
function failureOf({ server, tool, redact }: Omit<ToolCall, 'run'>, result: ToolResult): AppError {
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

const accepts = (c: Context, type: string): boolean =>
  (c.req.header('Accept') ?? '').split(',').some((one) => one.split(';')[0]?.trim().toLowerCase() === type);

export const RESULT_PARAMETER = {
  name: 'result',
  in: 'query',
  description: '`full` gives the whole result, also that of a failure, with status 200.',
  example: 'full',
  schema: oneOf(FORMS, { default: 'text' }),
} as const;

export const RESULT_ANSWERS: Pick<Operation, 'answer' | 'otherAnswers'> = {
  answer: {
    description: 'The result as one text; with `result=full` the whole result.',
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
