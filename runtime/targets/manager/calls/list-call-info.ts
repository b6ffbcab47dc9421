import type { ListName } from '../shapes/check-list.ts';
import type { CallInfo } from './run-call.ts';

const listing = (many: string, one: string): CallInfo => ({
  kind: 'list',
  texts: (server) => ({
    title: `MCP server error listing ${many}`,
    detail: `${one} list failed: ${server}`,
  }),
});

/** Descriptions of list requests for errors and metrics. */
export const LIST_CALL_INFO: Readonly<Record<ListName, CallInfo>> = {
  tools: listing('tools', 'tool'),
  prompts: listing('prompts', 'prompt'),
  resources: listing('resources', 'resource'),
  resourceTemplates: listing('resource templates', 'resource template'),
};
