import { AppError } from '../../../contract/errors.ts';
import type { Calls, UpstreamTool } from './call.ts';
import { toolResult } from '../shapes/results.ts';
import type { Ask, Question } from './ask.ts';
import { LIST_QUESTIONS } from './list-questions.ts';
import { mayCall } from './offered.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';
import { deniesTool, reportsUnknownTool } from './unknown-tool.ts';

export function toolCalls(ask: Ask, catalogue: ToolCatalogue): Pick<Calls, 'listTools' | 'callTool'> {
  return {
    listTools: (call) =>
      ask(call, LIST_QUESTIONS.tools, async (visit) => {
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
        const { name: server } = visit.server;
        const nameOf = (tool: UpstreamTool | undefined): string => {
          if (tool && mayCall(caller, server, tool)) return tool.name;
          throw new AppError('ForbiddenError', `tool not allowed: ${server}/${typed}`);
        };
        const request = async (name: string) =>
          toolResult(await visit.request('tools/call', { name, arguments: args }));
        const name = nameOf(await catalogue.find(visit, call, typed));
        try {
          const result = await request(name);
          if (reportsUnknownTool(result, name)) catalogue.expire(visit);
          return result;
        } catch (error) {
          if (!deniesTool(error, name)) throw error;
          const tool = await catalogue.findAgain(visit, call, typed).catch(() => {
            throw error;
          });
          // The list still has it: the error is the answer.
          if (tool?.name === name) throw error;
          return request(nameOf(tool));
        }
      });
    },
  };
}
