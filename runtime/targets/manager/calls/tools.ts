import { AppError } from '../../../contract/errors.ts';
import type { Calls, UpstreamTool } from './api.ts';
import type { Ask, Question } from './ask.ts';
import { mayCall } from './offered.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';

const LISTING: Question = {
  kind: 'list',
  texts: (server) => ({
    title: 'MCP server error listing tools',
    detail: `tool list failed: ${server}`,
  }),
};

export function toolCalls(ask: Ask, catalogue: ToolCatalogue): Pick<Calls, 'listTools' | 'callTool'> {
  return {
    listTools: (call) =>
      ask(call, LISTING, async (visit) => {
        const mayUse = (tool: UpstreamTool): boolean => mayCall(call.caller, visit.server.name, tool);
        const tools = (await catalogue.tools(visit, call)).filter(mayUse);
        if (tools.length > 0) return tools;
        throw new AppError('NotFoundError', `tools not found: ${visit.server.name}`);
      }),
    callTool(call) {
      const { caller, tool: typed, args } = call;
      const question: Question = {
        kind: 'tool',
        audited: { name: typed, args },
        texts: (server) => ({
          title: 'MCP server error calling tool',
          detail: `tool call failed: ${server}/${typed}`,
        }),
      };
      return ask(call, question, async (visit) => {
        const tool = await catalogue.find(visit, call, typed);
        if (!tool || !mayCall(caller, visit.server.name, tool)) {
          throw new AppError('ForbiddenError', `tool not allowed: ${visit.server.name}/${typed}`);
        }
        return visit.request('tools/call', { name: tool.name, arguments: args });
      });
    },
  };
}
