import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import type { OwnedUri } from '../resource-uri.ts';

/** The scheme of app pages. Clients only render URIs with this scheme, so a server name cannot precede it. */
const SCHEME = 'ui://';
const AUTHORITY = 'mcp-manager/';

export const isAppUri = (uri: unknown): uri is string => typeof uri === 'string' && uri.startsWith(SCHEME);

/**
 * Returns the URI of an app page in lists of all servers: `ui://mcp-manager/<server>/<rest>`. It contains the server
 * even if no other server has the same URI, because servers do not have to list their app pages, so that the manager
 * could not find the server of a page, and clients cache pages by URI.
 */
export const appUri = ({ server, uri }: OwnedUri): string =>
  `${SCHEME}${AUTHORITY}${encodeURIComponent(server)}/${uri.slice(SCHEME.length)}`;

/** Parses a URI created by `appUri`; undefined for any other URI, and for a server that is not in the list. */
export function parseAppUri(text: string, servers: readonly string[]): OwnedUri | undefined {
  if (!text.startsWith(SCHEME + AUTHORITY)) return undefined;
  const rest = text.slice(SCHEME.length + AUTHORITY.length);
  const end = rest.indexOf('/');
  const server = servers.find((name) => encodeURIComponent(name) === rest.slice(0, end));
  return server === undefined ? undefined : { server, uri: SCHEME + rest.slice(end + 1) };
}

/** Keys of `_meta` in which tools and results refer to an app page: deprecated, and of the OpenAI Apps SDK. */
const FLAT_KEYS = ['ui/resourceUri', 'openai/outputTemplate'];

/** Returns a tool or a result whose `_meta` refers to app pages by their URIs in lists of all servers. */
export function withAppUris<Item extends ShapeOfParams>(server: string, item: Item): Item {
  const meta = item['_meta'];
  if (!isObject(meta)) return item;
  const changed: Record<string, unknown> = {};
  const ui = membersOf(meta['ui']);
  if (isAppUri(ui['resourceUri'])) {
    changed['ui'] = { ...ui, resourceUri: appUri({ server, uri: ui['resourceUri'] }) };
  }
  for (const key of FLAT_KEYS) {
    const uri = meta[key];
    if (isAppUri(uri)) changed[key] = appUri({ server, uri });
  }
  return Object.keys(changed).length === 0 ? item : { ...item, _meta: { ...meta, ...changed } };
}

/** Returns a tool result whose content and `_meta` refer to app pages by their URIs in lists of all servers. */
export function resultWithAppUris<Result extends ShapeOfParams>(server: string, result: Result): Result {
  const { content } = result;
  const own = withAppUris(server, result);
  if (!Array.isArray(content) || !content.some(refersToApp)) return own;
  return { ...own, content: content.map((block: unknown) => blockWithAppUri(server, block)) };
}

const refersToApp = (block: unknown): boolean => {
  const { uri, resource } = membersOf(block);
  return isAppUri(uri) || isAppUri(membersOf(resource)['uri']);
};

function blockWithAppUri(server: string, block: unknown): unknown {
  const members = membersOf(block);
  const { uri } = members;
  if (isAppUri(uri)) return { ...members, uri: appUri({ server, uri }) };
  const resource = membersOf(members['resource']);
  const { uri: embedded } = resource;
  if (!isAppUri(embedded)) return block;
  return { ...members, resource: { ...resource, uri: appUri({ server, uri: embedded }) } };
}
