import { isObject } from '#core/json/is-object.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Params } from '../shapes/shape.ts';
import { qualify } from './qualified-name.ts';

/** The texts of an item, with a different weight each. */
interface SearchedTexts {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: string;
}

/** What is searched together. */
export interface SearchKind {
  readonly lists: readonly ListName[];
  readonly texts: (server: string, item: Params) => SearchedTexts;
}

export const SEARCH_KINDS = {
  tools: {
    lists: ['tools'],
    texts: (server, { name, title, description, annotations, inputSchema }) => ({
      name: qualify(server, asText(name)),
      title: `${asText(title)} ${asText(isObject(annotations) ? annotations['title'] : '')}`,
      description: asText(description),
      parameters: propertyTexts(inputSchema).join(' '),
    }),
  },
  prompts: {
    lists: ['prompts'],
    texts: (server, { name, title, description, arguments: parameters }) => ({
      name: qualify(server, asText(name)),
      title: asText(title),
      description: asText(description),
      parameters: (Array.isArray(parameters) ? parameters.filter(isObject) : [])
        .map((parameter) => `${asText(parameter['name'])} ${asText(parameter['description'])}`)
        .join(' '),
    }),
  },
  resources: {
    lists: ['resources', 'resourceTemplates'],
    texts: (server, { name, title, description, uri, uriTemplate, mimeType }) => ({
      name: qualify(server, asText(name)),
      title: asText(title),
      description: asText(description),
      parameters: `${asText(uri)} ${asText(uriTemplate)} ${asText(mimeType)}`,
    }),
  },
} satisfies Record<string, SearchKind>;

/** Returns names and descriptions of the parameters of a tool. */
function propertyTexts(schema: unknown): string[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([name, property]) => [
    name,
    isObject(property) ? asText(property['description']) : '',
  ]);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
