import { isObject } from '#core/json/is-object.ts';
import type { ListName } from '../shared/list-items.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { qualify } from './tool-catalog.ts';

/**
 * Maximum age of the searched lists, unless their server announced a change. A client can send a search
 * request for every word typed.
 */
export const MAX_LIST_AGE_MS = 30_000;

export interface FoundItem {
  readonly server: string;
  readonly list: ListName;
  /** The item as the server sent it. */
  readonly item: ShapeOfParams;
}

/** The texts of an item, each with its own weight. */
export interface SearchedTexts {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: string;
}

/** The items of one search. */
export interface SearchKind {
  readonly lists: readonly ListName[];
  readonly texts: (server: string, item: ShapeOfParams) => SearchedTexts;
  /** Whether an item can be found; by default, all items can. */
  readonly isSearched?: (item: ShapeOfParams) => boolean;
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

/** Returns the names and descriptions of a tool's parameters. */
function propertyTexts(schema: unknown): string[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([name, property]) => [
    name,
    isObject(property) ? asText(property['description']) : '',
  ]);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Splits a text into words, including the parts of `getCurrentTime` and `get_current_time`. */
export function words(text: string): string[] {
  const spaced = text.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
