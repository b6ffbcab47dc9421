import type { ListName } from '../shapes/check-list.ts';
import type { Question } from './ask.ts';

const listing = (many: string, one: string): Question => ({
  kind: 'list',
  texts: (server) => ({
    title: `MCP server error listing ${many}`,
    detail: `${one} list failed: ${server}`,
  }),
});

/** What requests of lists are called in errors and metrics. */
export const LIST_QUESTIONS: Readonly<Record<ListName, Question>> = {
  tools: listing('tools', 'tool'),
  prompts: listing('prompts', 'prompt'),
  resources: listing('resources', 'resource'),
  resourceTemplates: listing('resource templates', 'resource template'),
};
