import { isVisibleTo } from '../../calls/tool-visibility.ts';
import { Type } from 'typebox';
import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { needsKey } from '#serve/access.ts';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { hoist } from '#serve/http/openapi/hoist.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { UpstreamTool } from '../../calls/call.ts';
import { serverName as normalized } from '../../config/server-name.ts';
import type { ManagerContext } from '../../context.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import type { ManagerAppOptions } from '../app-options.ts';
import type { BaseAddress } from '#serve/http/own-address.ts';
import { createToolCallAnswer, toolValueAnswer } from './tools.ts';
import { callerOfRequest, groupPathOf, serverCall } from '../env.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { type Route, undocumentedRoute } from '#serve/http/route.ts';
import { errorModel } from './documents.ts';
import { toolArguments } from '../schemas/tools.ts';
import type { OpenApiSchema } from '../views/openapi-schema.ts';
import { toolDocument } from '../views/tool-document.ts';
import { SERVER_NAME } from './operations.ts';

/** Maximum wait for the name of a server that has already listed its tools. */
const PEER_TIMEOUT_MS = 1000;

/**
 * `/openapi/{server}.json` and `/openapi/{server}/{tool}`: a server's tools as an HTTP API with one typed
 * operation per tool, for clients such as Open WebUI that read OpenAPI documents.
 */
export function toolDocumentRoutes(
  context: ManagerContext,
  { guards, route }: ManagerHttpParts,
  baseAddress: BaseAddress,
  options: ManagerAppOptions,
): readonly Route[] {
  const { calls, kernel, version } = context;
  const callTool = createToolCallAnswer(context, options, {
    result: () => toolValueAnswer,
    bodyIsOptional: true,
  });
  const schemas: Record<string, ShapeOfParams> = {};
  const problem = hoist(errorModel, schemas);
  let schemaOf: OpenApiSchema | undefined;

  const toolsOf = async (c: Context<ShellEnv>, server: string): Promise<readonly UpstreamTool[]> => {
    try {
      const tools = await calls.listTools(serverCall(c, server));
      return tools.filter((tool) => isVisibleTo(tool, 'model'));
    } catch (error) {
      const isEmpty = calls.servers(callerOfRequest(c)).includes(server);
      if (isEmpty && error instanceof AppError && error.code === 'NotFoundError') return [];
      throw error;
    }
  };
  const document = async (c: Context<ShellEnv>, name: string): Promise<Response> => {
    const server = normalized(name);
    const tools = await toolsOf(c, server);
    const caller = callerOfRequest(c);
    const peer = await calls.peer({ caller, server, timeoutMs: PEER_TIMEOUT_MS }).catch(() => undefined);
    // Imported on demand, because few clients read these documents.
    schemaOf ??= (await import('../views/openapi-schema.ts')).createOpenApiSchema();
    const content = toolDocument(tools, {
      title: peer?.name ?? server,
      version: peer?.version ?? version,
      description: peer?.instructions ?? `The tools of the MCP server ${server}, provided by mcp-manager.`,
      url: `${baseAddress(c)}${groupPathOf(c)}/openapi/${encodeURIComponent(server)}`,
      needsKey: needsKey(kernel.access),
      schemaOf,
      problem,
      schemas,
    });
    return c.body(JSON.stringify(content), 200, { 'Content-Type': 'application/openapi+json' });
  };
  return [
    route({
      method: 'get',
      path: '/openapi/:file{[^/]+\\.json}',
      guard: guards.upstream,
      id: 'toolsDocument',
      tag: 'Tools',
      summary: 'Get an OpenAPI document with one operation for each of a server’s tools.',
      description:
        'For clients such as Open WebUI. It is also available at `/openapi/{server}/openapi.json`.',
      parameters: [{ ...SERVER_NAME, name: 'server' }],
      answer: {
        ...answerOf('An OpenAPI 3.1 document.', Type.Unsafe({ type: 'object', additionalProperties: true }), {
          openapi: '3.1.0',
        }),
        mediaType: 'application/openapi+json',
      },
      run: (c) => document(c, c.req.param('file').replace(/\.json$/, '')),
    }),
    // Open WebUI appends this name to the server's URL.
    undocumentedRoute({
      method: 'get',
      path: '/openapi/:server/openapi.json',
      guard: guards.upstream,
      run: (c) => document(c, c.req.param('server')),
    }),
    route({
      method: 'post',
      path: '/openapi/:server/:tool',
      guard: guards.upstream,
      id: 'callDocumentedTool',
      tag: 'Tools',
      summary: 'Call a tool, and get its result as one JSON value.',
      description:
        'JSON text is parsed, an image becomes a data URL, and several parts become a list. Without a body, the tool is called without arguments.',
      parameters: [
        { ...SERVER_NAME, name: 'server' },
        { name: 'tool', description: 'Name of the tool in the document.', example: 'get_current_time' },
      ],
      request: {
        schema: toolArguments,
        examples: { arguments: { timezone: 'UTC' } },
        optional: true,
        isRaw: true,
      },
      answer: answerOf('The result.', Type.Unsafe({}), { datetime: '2026-01-31T12:00:00Z' }),
      errors: BODY_ERRORS,
      run: (c) =>
        answerRequest(c, (exchange) =>
          callTool(exchange, {
            caller: callerOfRequest(c),
            requestId: c.get('requestId'),
            server: c.req.param('server'),
            tool: c.req.param('tool'),
          }),
        ),
    }),
  ];
}
