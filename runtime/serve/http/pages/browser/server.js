/** An error response of the server. */
export class ServerError extends Error {
  /**
   * @param {string} message
   * @param {number} status 0 if there was no response
   */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * @typedef {object} Answer
 * @property {any} data
 * @property {number} milliseconds from sending the request to having read the answer
 * @property {Timings} timings
 * @property {readonly number[]} truncated indexes of inputs that the model has read only in part
 */

/** @typedef {{ total?: number, tokenization?: number, queue?: number, inference?: number }} Timings in milliseconds */

/**
 * @typedef {object} CallOptions
 * @property {string} [method] default: POST with a body, else GET
 * @property {unknown} [body] a form or a file as it is, anything else as JSON
 * @property {Record<string, string>} [headers]
 * @property {Record<string, string | number | boolean | undefined>} [query] undefined values are omitted
 * @property {string} [key]
 * @property {AbortSignal} [signal]
 */

/**
 * Calls the server that serves this page. Paths are relative, so that the page works behind a proxy's prefix.
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<Answer>}
 */
export async function call(path, options = {}) {
  const started = performance.now();
  const response = await open(path, options);
  const text = await reading(response.text(), options.signal);
  return {
    data: text === '' ? undefined : parsed(text, response),
    milliseconds: performance.now() - started,
    timings: timingsOf(response),
    truncated: (response.headers.get('x-truncated-indexes') ?? '').split(',').filter(Boolean).map(Number),
  };
}

/**
 * Same as `call`, but returns the response unread. Throws a ServerError for an error response.
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<Response>}
 */
export async function open(path, { method, body, headers: own = {}, query = {}, key = '', signal } = {}) {
  const isRaw = body instanceof FormData || body instanceof Blob || body instanceof URLSearchParams;
  /** @type {Record<string, string>} */
  const headers = key === '' ? { ...own } : { ...own, Authorization: `Bearer ${key}` };
  if (body !== undefined && !isRaw) headers['Content-Type'] = 'application/json';
  const request = {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
  const response = await reading(fetch(withQuery(path, query), request), signal);
  if (!response.ok)
    throw new ServerError(wordsOf(response, await reading(response.text(), signal)), response.status);
  return response;
}

/**
 * @template Result
 * @param {Promise<Result>} work
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Result>}
 */
const reading = (work, signal) =>
  work.catch((error) => {
    if (signal?.aborted) throw error;
    throw new ServerError('The server did not respond. Check that it is running.', 0);
  });

/**
 * @param {string} path
 * @param {Record<string, string | number | boolean | undefined>} query
 */
function withQuery(path, query) {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(entries).toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

/**
 * @param {string} text
 * @param {Response} response
 * @returns {any}
 */
function parsed(text, { status }) {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServerError(`Unexpected response: ${text.slice(0, 200)}`, status);
  }
}

/**
 * Extracts the message of an error body: plain text, JSON with a message as in OpenAI's API, or a problem with a detail.
 * @param {Response} response
 * @param {string} text
 */
function wordsOf(response, text) {
  if (!response.headers.get('Content-Type')?.includes('json')) return text || response.statusText;
  const body = parsed(text, response);
  const message = body?.error?.message ?? body?.detail;
  return typeof message === 'string' ? message : text;
}

/**
 * @param {Response} response
 * @returns {Timings}
 */
function timingsOf({ headers }) {
  /** @type {Timings} */
  const timings = {};
  for (const name of /** @type {const} */ (['total', 'tokenization', 'queue', 'inference'])) {
    const value = headers.get(`x-${name}-time`);
    if (value !== null && Number.isFinite(Number(value))) timings[name] = Number(value);
  }
  return timings;
}
