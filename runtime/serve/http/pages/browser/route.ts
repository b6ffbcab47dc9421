/**
 * A location in a program: a path and a query. Both are stored in the hash of the page's address,
 * so that pages do not require server routes.
 */
interface Route {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Reads the hash of an address, e.g. `#/keys/abc?sort=-cost`. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = split(hash.replace(/^#\/?/, ''));
  return { path, query: new URLSearchParams(query) };
}

function split(text: string) {
  const at = text.indexOf('?');
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Returns the link to a location. Path segments are encoded, so that a name with slashes remains a
 * single segment. Query parameters with empty values are omitted.
 */
export function linkTo(parts: readonly string[], query: Record<string, string> = {}) {
  const entries = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(entries).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** Matches a path with a pattern such as `keys/:id`. Returns the decoded parameters, or undefined. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [expected, actual] = [pattern.split('/'), path.split('/')];
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of expected.entries()) {
    const found = actual[at] ?? '';
    if (!part.startsWith(':')) {
      if (part !== found) return undefined;
    } else if (found === '') return undefined;
    else params[part.slice(1)] = decoded(found);
  }
  return params;
}

function decoded(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Changes the query of the current location without leaving the page. Empty values are removed.
 * With the option `replace`, no entry is added to the history.
 */
export function changeQuery(
  changes: Record<string, string>,
  { replace = false }: { replace?: boolean } = {},
) {
  const { path, query } = readRoute(location.hash);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  const hash = `#/${path}${text === '' ? '' : `?${text}`}`;
  // Neither function fires `hashchange`, so the page is not rendered again.
  if (replace) history.replaceState(undefined, '', hash);
  else history.pushState(undefined, '', hash);
}
