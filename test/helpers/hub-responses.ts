import type { IncomingMessage, ServerResponse } from 'node:http';

/** The fault in a response. */
export interface Fault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Closes the connection after this many bytes of the body. */
  readonly cutAfter?: number;
  /** Stops sending after this many bytes of the body, and keeps the connection open. */
  readonly stallAfter?: number;
  /** Never responds. */
  readonly isSilent?: boolean;
  /** Sends other bytes with the same length. */
  readonly isWrong?: boolean;
  /** Ignores the header `Range`. */
  readonly ignoresRanges?: boolean;
}

/** Sends the status of a fault, or no response; returns false if the fault concerns the content. */
export function sendFault(
  response: ServerResponse,
  { status, headers = {}, body = '', isSilent }: Fault,
): boolean {
  if (isSilent) return true;
  if (status === undefined) return false;
  response.writeHead(status, headers).end(body);
  return true;
}

export function sendStatus(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
): void {
  const body =
    status < 400 ? '' : JSON.stringify({ error: headers['x-error-message'] ?? `Status ${status}` });
  response.writeHead(status, { ...headers, 'content-length': String(body.length) });
  response.end(response.req.method === 'HEAD' ? '' : body);
}

/** Sends a file, or the requested range. */
export function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  fault: Fault,
  headers: Record<string, string> = {},
): void {
  const [, start] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
  const from = fault.ignoresRanges || start === undefined ? undefined : Number(start);
  if (from !== undefined && from >= content.length) {
    return sendStatus(response, 416, { 'content-range': `bytes */${content.length}` });
  }
  const part = content.subarray(from ?? 0);
  const range = `bytes ${from}-${content.length - 1}/${content.length}`;
  response.writeHead(from === undefined ? 200 : 206, {
    ...headers,
    'content-length': String(part.length),
    'accept-ranges': 'bytes',
    ...(from === undefined ? {} : { 'content-range': range }),
  });
  if (request.method === 'HEAD') return void response.end();
  const bytes = fault.isWrong ? Buffer.alloc(part.length, 'x') : part;
  const { cutAfter, stallAfter } = fault;
  if (cutAfter !== undefined) {
    response.write(bytes.subarray(0, cutAfter), () => response.destroy());
  } else if (stallAfter === undefined) {
    response.end(bytes);
  } else {
    response.write(bytes.subarray(0, stallAfter));
  }
}
