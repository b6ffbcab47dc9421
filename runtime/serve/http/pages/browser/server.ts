/** An error response of the server. */
export class ServerError extends Error {
  /** 0 if there was no response. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * A server response. `Data` is the type that the server returns for the path, e.g. the type of its
 * API schema.
 */
export interface Answer<Data> {
  readonly data: Data;
  /** Time between sending the request and reading the end of the response. */
  readonly milliseconds: number;
  readonly timings: Timings;
  /** Indexes of inputs that the model truncated. */
  readonly truncated: readonly number[];
}

/** Durations in milliseconds. */
type Timings = Partial<Record<(typeof TIMINGS)[number], number>>;

const TIMINGS = ['total', 'tokenization', 'queue', 'inference'] as const;

export interface CallOptions {
  /** Default: POST with a body, otherwise GET. */
  readonly method?: string;
  /** The body. Forms and files are sent unchanged, and other values are sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Query parameters; undefined values are omitted. */
  readonly query?: Record<string, string | number | boolean | undefined>;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/**
 * Calls the server that serves this page. Paths are relative, so that the page works behind a proxy
 * with a path prefix.
 */
export async function call<Data>(path: string, options: CallOptions = {}): Promise<Answer<Data>> {
  const started = performance.now();
  const response = await open(path, options);
  const text = await reading(response.text(), options.signal);
  return {
    data: (text === '' ? undefined : parsed(text, response)) as Data,
    milliseconds: performance.now() - started,
    timings: timingsOf(response),
    truncated: (response.headers.get('x-truncated-indexes') ?? '').split(',').filter(Boolean).map(Number),
  };
}

/**
 * Same as `call`, but returns the response without reading its body. Throws a ServerError for an
 * error response.
 */
export async function open(
  path: string,
  { method, body, headers: own = {}, query = {}, key = '', signal }: CallOptions = {},
): Promise<Response> {
  const isRaw = body instanceof FormData || body instanceof Blob || body instanceof URLSearchParams;
  const headers: Record<string, string> =
    key === '' ? { ...own } : { ...own, Authorization: `Bearer ${key}` };
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

const reading = <Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> =>
  work.catch((error) => {
    if (signal?.aborted) throw error;
    throw new ServerError('The server did not respond. Check that it is running.', 0);
  });

function withQuery(path: string, query: Record<string, string | number | boolean | undefined>) {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(entries).toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

function parsed(text: string, { status }: Response): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServerError(`Unexpected response: ${text.slice(0, 200)}`, status);
  }
}

interface ErrorBody {
  readonly error?: { readonly message?: unknown };
  readonly detail?: unknown;
}

/**
 * Extracts the message from an error body: plain text, JSON with a message as in OpenAI's API, or a
 * problem with a detail.
 */
function wordsOf(response: Response, text: string) {
  if (!response.headers.get('Content-Type')?.includes('json')) return text || response.statusText;
  const body = parsed(text, response) as ErrorBody | null;
  const message = body?.error?.message ?? body?.detail;
  return typeof message === 'string' ? message : text;
}

function timingsOf({ headers }: Response): Timings {
  const timings: Timings = {};
  for (const name of TIMINGS) {
    const value = headers.get(`x-${name}-time`);
    if (value !== null && Number.isFinite(Number(value))) timings[name] = Number(value);
  }
  return timings;
}
