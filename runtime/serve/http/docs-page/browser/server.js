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
 * Calls the server that serves this page. Paths are relative, so that the page works behind a proxy's prefix.
 * @param {string} path
 * @param {{ body?: unknown, key?: string, signal?: AbortSignal }} [options]
 * @returns {Promise<Answer>}
 */
export async function call(path, { body, key = '', signal } = {}) {
  const started = performance.now();
  /** @type {Record<string, string>} */
  const headers = key === '' ? {} : { Authorization: `Bearer ${key}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const request = {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
  const { response, text } = await exchange(path, request).catch((error) => {
    if (signal?.aborted) throw error;
    throw new ServerError('The server did not respond. Check that it is running.', 0);
  });
  if (!response.ok) throw new ServerError(wordsOf(response, text), response.status);
  return {
    data: parsed(text, response),
    milliseconds: performance.now() - started,
    timings: timingsOf(response),
    truncated: (response.headers.get('x-truncated-indexes') ?? '').split(',').filter(Boolean).map(Number),
  };
}

/**
 * @param {string} path
 * @param {RequestInit} request
 */
async function exchange(path, request) {
  const response = await fetch(path, request);
  return { response, text: await response.text() };
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
