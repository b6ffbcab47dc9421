import { AppError } from '#contract/errors.ts';
import { createDirectListener, type DirectListener, type DirectRoute } from '#serve/http/direct-route.ts';
import { isCaller } from '../access/caller.ts';
import type { ManagerContext } from '../context.ts';
import { createToolCallAnswer } from './call-tool.ts';
import { bodyOptions, type ManagerAppOptions } from './app-options.ts';
import { TOOL_ROUTE } from './routes/tools.ts';

/** Handles common tool calls and MCP messages without the HTTP framework. The app handles other requests, and all with plugins. */
export function directCalls(
  context: ManagerContext,
  options: ManagerAppOptions,
  mcp: readonly DirectRoute[] = [],
): DirectListener | undefined {
  const { plugins } = options;
  if (plugins?.has('request') === true || plugins?.has('response') === true) return undefined;
  return createDirectListener(context.kernel, [toolCalls(context, options), ...mcp]);
}

function toolCalls(context: ManagerContext, options: ManagerAppOptions): DirectRoute {
  const callTool = createToolCallAnswer(context, options);
  return {
    route: TOOL_ROUTE,
    path: /^\/api\/v1\/servers\/([\w.-]+)\/tools\/([\w.-]+)$/,
    accepts: ANY_JSON,
    maxBodyBytes: bodyOptions(options).maxBodyBytes,
    hostRules: { ...options.hostRules, allowedOrigins: options.cors?.origins },
    async answer({ exchange, requestId, caller, parts: [server = '', tool = ''] }) {
      if (!isCaller(caller)) throw new AppError('InternalError', 'A tool was called without a caller.');
      await callTool(exchange, { caller, server, tool, requestId });
    },
  };
}

const ANY_JSON: ReadonlySet<string> = new Set(['*/*', 'application/json', 'application/json, */*']);
