import type { ListName } from '../shapes/check-list.ts';
import type { CallInfo } from './run-call.ts';

/** The nouns of lists: many and one. */
const NOUNS: Readonly<Record<ListName, readonly [many: string, one: string]>> = {
  tools: ['tools', 'tool'],
  prompts: ['prompts', 'prompt'],
  resources: ['resources', 'resource'],
  resourceTemplates: ['resource templates', 'resource template'],
};

export const pluralOf = (list: ListName): string => NOUNS[list][0];

const listing = ([many, one]: readonly [string, string]): CallInfo => ({
  kind: 'list',
  texts: (server) => ({
    title: `MCP server error listing ${many}`,
    detail: `${one} list failed: ${server}`,
  }),
});

/** Descriptions of list requests for errors and metrics. */
export const LIST_CALL_INFO: Readonly<Record<ListName, CallInfo>> = {
  tools: listing(NOUNS.tools),
  prompts: listing(NOUNS.prompts),
  resources: listing(NOUNS.resources),
  resourceTemplates: listing(NOUNS.resourceTemplates),
};
