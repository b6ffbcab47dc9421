import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { greatest } from '#core/numbers/extremes.ts';
import { pushAll } from '#core/values/push-all.ts';

/**
 * Smallest body to compress. A server sends about this many bytes before it waits for an
 * acknowledgment, so compressing a smaller body would not make it arrive earlier
 * (docs/decisions/0060).
 */
const MIN_COMPRESSED_BYTES = 14_336;

/** Whether a body of this length is worth compressing. */
export const isLargeEnough = (bytes: number): boolean => bytes >= MIN_COMPRESSED_BYTES;

const COMPRESSIBLE = /^(application\/(json|[\w.-]+\+json)|text\/(?!event-stream))/i;

const asyncBrotli = promisify(brotliCompress);
const asyncGzip = promisify(gzip);
const asyncZstd = promisify(zstdCompress);

/**
 * Fast compression levels, because the CPUs are needed for inference. Compression runs in Node's
 * thread pool.
 */
const COMPRESSORS: Readonly<Record<Coding, (body: string | Uint8Array) => Promise<Uint8Array>>> = {
  zstd: (body) => asyncZstd(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: (body) => asyncGzip(body, { level: 1 }),
  br: (body) => asyncBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

/**
 * Compresses a large response if the client accepts compressed responses. Responses that are
 * written in parts, such as event streams, are sent unchanged.
 */
export function compressLargeResponse({ method, headers }: IncomingMessage, outgoing: ServerResponse): void {
  // Responses to requests with cookies are not compressed, because a page on another site could
  // guess secrets from their sizes.
  if (method === 'HEAD' || headers.cookie !== undefined) return;
  const writeHead = outgoing.writeHead.bind(outgoing);

  const hold = (status: number, head: Head, values: HeaderValues): void => {
    const write = outgoing.write.bind(outgoing);
    const end = outgoing.end.bind(outgoing);
    const flushHeaders = outgoing.flushHeaders.bind(outgoing);
    const release = (): void => {
      Object.assign(outgoing, { write, end, flushHeaders });
      writeHead(status, head);
    };
    outgoing.write = (...given: unknown[]) => {
      release();
      return Reflect.apply(write, outgoing, given);
    };
    outgoing.flushHeaders = () => {
      release();
      flushHeaders();
    };
    outgoing.end = (...given: unknown[]) => {
      const [body] = given;
      const isLarge = isBody(body) && isLargeEnough(Buffer.byteLength(body));
      if (!isLarge) {
        release();
        return Reflect.apply(end, outgoing, given);
      }
      Object.assign(outgoing, { write, end, flushHeaders });
      const varied = withVary(values);
      const coding = preferredCoding(headers['accept-encoding']);
      if (coding === undefined) {
        writeHead(status, varied);
        return end(body, 'utf8');
      }
      const sendCompressed = async (): Promise<void> => {
        const bytes = await COMPRESSORS[coding](body);
        if (outgoing.destroyed) return;
        const { 'content-length': _length, ...rest } = varied;
        writeHead(status, { ...rest, 'content-encoding': coding, 'content-length': bytes.length });
        end(bytes, 'utf8');
      };
      void sendCompressed().catch(() => outgoing.destroy());
      return outgoing;
    };
  };

  outgoing.writeHead = (status: number, ...rest: unknown[]) => {
    outgoing.writeHead = writeHead;
    const [head] = rest;
    const isCandidate = rest.length === 1 && isHead(head) && status === 200 && !hasSmallLength(head);
    const values = isCandidate ? headerValues(head) : undefined;
    if (!values || !isCompressible(outgoing, values))
      return Reflect.apply(writeHead, outgoing, [status, ...rest]);
    hold(status, isHead(head) ? head : undefined, values);
    return outgoing;
  };
}

const isBody = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array;

const isHead = (value: unknown): value is OutgoingHttpHeaders | OutgoingHttpHeader[] =>
  typeof value === 'object' && value !== null;

/**
 * Whether the headers are sufficient to determine that the body is small. This is the case for most
 * responses.
 */
function hasSmallLength(head: OutgoingHttpHeaders | OutgoingHttpHeader[]): boolean {
  if (!Array.isArray(head)) return false;
  const at = head.lastIndexOf('Content-Length');
  return at !== -1 && !isLargeEnough(Number(head[at + 1]));
}

function isCompressible(outgoing: ServerResponse, values: HeaderValues): boolean {
  const valueOf = (name: string): string =>
    values[name]?.join() ?? outgoing.getHeader(name)?.toString() ?? '';
  const length = valueOf('content-length');
  return (
    COMPRESSIBLE.test(valueOf('content-type')) &&
    (length === '' || isLargeEnough(Number(length))) &&
    valueOf('content-encoding') === '' &&
    // A strong validator identifies the exact bytes, so it does not apply to the compressed body.
    !valueOf('etag').startsWith('"') &&
    !/no-transform/i.test(valueOf('cache-control'))
  );
}

function withVary(values: HeaderValues): OutgoingHttpHeaders {
  const vary = values['vary'] ?? [];
  const known = vary.join().toLowerCase();
  return /\*|accept-encoding/.test(known)
    ? { ...values }
    : { ...values, vary: [...vary, 'Accept-Encoding'].join(', ') };
}

/**
 * Supported encodings. If the client prefers several of them equally, the first one in this list is
 * used, because it takes the least CPU time.
 */
const CODINGS = ['zstd', 'gzip', 'br'] as const;
export type Coding = (typeof CODINGS)[number];

/**
 * Returns the encoding that an `Accept-Encoding` header prefers; undefined if the response must not be encoded.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function preferredCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(header.toLowerCase().split(',').map(weightOf));
  const weight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const best = greatest(CODINGS.map(weight));
  // If an encoding has a smaller weight than `identity`, the client prefers an unencoded response.
  if (best <= 0 || best < (weights.get('identity') ?? 0)) return undefined;
  return CODINGS.find((coding) => weight(coding) === best);
}

function weightOf(item: string): [name: string, weight: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  // If the weight is invalid, the client may not be able to decode the response.
  return [name === 'x-gzip' ? 'gzip' : name, weight >= 0 && weight <= 1 ? weight : 0];
}

/** Headers as accepted by `writeHead`: an object, or alternating names and values. */
type ResponseHead = OutgoingHttpHeaders | readonly OutgoingHttpHeader[] | undefined;

/** Headers by lower-case name, with all values of each. */
type HeaderValues = Readonly<Record<string, string[]>>;

function headerValues(head: ResponseHead): HeaderValues {
  const values: Record<string, string[]> = {};
  for (const [name, value] of entriesOf(head)) {
    const list = (values[name.toLowerCase()] ??= []);
    pushAll(list, (Array.isArray(value) ? value : [value]).map(String));
  }
  return values;
}

function entriesOf(head: ResponseHead): (readonly [string, OutgoingHttpHeader])[] {
  if (head === undefined) return [];
  if (!isList(head)) {
    return Object.entries(head).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  }
  return head.flatMap((value, at) => (at % 2 === 0 ? [[String(value), head[at + 1] ?? '']] : []));
}

const isList = (head: NonNullable<ResponseHead>): head is readonly OutgoingHttpHeader[] =>
  Array.isArray(head);
