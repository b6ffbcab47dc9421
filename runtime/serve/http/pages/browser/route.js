/**
 * A place in a program: a path and a query, both kept in the hash of the address, so that pages need no routes of the server.
 * @typedef {{ path: string, query: URLSearchParams }} Route
 */

/**
 * Reads the hash of an address, e.g. `#/keys/abc?sort=-cost`.
 * @param {string} hash
 * @returns {Route}
 */
export function readRoute(hash) {
  const [path = '', query = ''] = split(hash.replace(/^#\/?/, ''));
  return { path, query: new URLSearchParams(query) };
}

/** @param {string} text */
function split(text) {
  const at = text.indexOf('?');
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/**
 * The link to a place. Parts of the path are encoded, so that names with slashes stay one part.
 * @param {readonly string[]} parts
 * @param {Record<string, string>} [query] empty values are omitted
 */
export function linkTo(parts, query = {}) {
  const entries = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(entries).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/**
 * Matches a path with a pattern such as `keys/:id`. Returns the parameters, decoded, or undefined.
 * @param {string} pattern
 * @param {string} path
 * @returns {Record<string, string> | undefined}
 */
export function matchPath(pattern, path) {
  const [expected, actual] = [pattern.split('/'), path.split('/')];
  if (expected.length !== actual.length) return undefined;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [at, part] of expected.entries()) {
    const found = actual[at] ?? '';
    if (!part.startsWith(':')) {
      if (part !== found) return undefined;
    } else if (found === '') return undefined;
    else params[part.slice(1)] = decoded(found);
  }
  return params;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Changes the query of the current place without leaving the page. Empty values are removed.
 * @param {Record<string, string>} changes
 * @param {{ replace?: boolean }} [options] `replace` adds no entry to the history
 */
export function changeQuery(changes, { replace = false } = {}) {
  const { path, query } = readRoute(location.hash);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  const hash = `#/${path}${text === '' ? '' : `?${text}`}`;
  // Neither function fires `hashchange`, so the page is not shown again.
  if (replace) history.replaceState(undefined, '', hash);
  else history.pushState(undefined, '', hash);
}
