import { open } from 'node:fs/promises';
import { Agent } from 'undici';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { isLocalHost } from '#core/net/public-address.ts';
import { redirectTarget } from '#core/net/redirect-target.ts';
import { guardedConnect } from '#serve/client/guarded-connect.ts';
import type { ApiSettings } from '../../config/spec.ts';
import { MAX_DOCUMENT_BYTES } from '../../openapi/parse-document.ts';
import { ACCEPT_ENCODING, readLimited } from './read-limited.ts';

/** A document as text, with what the next request needs to find out whether it has changed. */
export interface LoadedDocument {
  readonly text: string;
  readonly validators: Readonly<Record<string, string>>;
}

export interface LoadOptions {
  readonly document: string;
  /** Headers for the document's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Validators of the known document. */
  readonly validators?: Readonly<Record<string, string>> | undefined;
}

/** Whether the document comes from the API's own server, so that it can get the server's headers. */
export const isOwnDocument = ({ document, baseUrl }: ApiSettings): boolean =>
  baseUrl === undefined || URL.parse(document)?.origin === URL.parse(baseUrl)?.origin;

const MAX_REDIRECTS = 3;
const tooLarge = (document: string) => (): Error =>
  configError(`${document} is larger than the maximum of ${MAX_DOCUMENT_BYTES / 1024 / 1024} MiB.`);

/** Loads a document from a file or URL. Returns undefined if it has not changed. Rejects with a sentence. */
export async function loadDocument(options: LoadOptions): Promise<LoadedDocument | undefined> {
  const { document } = options;
  return /^https?:/i.test(document) ? await fetchDocument(options) : await readDocument(document);
}

async function readDocument(path: string): Promise<LoadedDocument> {
  try {
    const file = await open(path);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) throw configError(`${path} is not a file.`);
      if (facts.size > MAX_DOCUMENT_BYTES) throw tooLarge(path)();
      return { text: await file.readFile('utf8'), validators: {} };
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw configError(`The OpenAPI document ${path} does not exist.`, error);
    if (error instanceof Error && 'syscall' in error)
      throw configError(`Cannot read the OpenAPI document ${path}: ${messageOf(error)}.`, error);
    throw error;
  }
}

async function fetchDocument({
  document,
  headers,
  timeoutMs,
  signal,
  validators = {},
}: LoadOptions): Promise<LoadedDocument | undefined> {
  const first = new URL(document);
  const place = `${first.origin}${first.pathname}`;
  const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  // A redirect to another host must not lead into the network that this program runs in.
  const agents = { own: agentFor(true), other: agentFor(isLocalHost(first.hostname)) };
  try {
    let url = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const isOwn = url.origin === first.origin;
      const response = await (isOwn ? agents.own : agents.other).request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'GET',
        headers: {
          accept: 'application/vnd.oai.openapi+json, application/json, application/yaml, */*;q=0.5',
          'accept-encoding': ACCEPT_ENCODING,
          'user-agent': USER_AGENT,
          ...(isOwn ? { ...headers, ...validators } : {}),
        },
        signal: AbortSignal.any(limits),
      });
      const { statusCode: status, headers: received, body } = response;
      if (status === 304) {
        await body.dump();
        return undefined;
      }
      if (status === 200) {
        const bytes = await readLimited({ body, headers: received }, MAX_DOCUMENT_BYTES, tooLarge(place));
        return { text: Buffer.from(bytes).toString('utf8'), validators: validatorsOf(received) };
      }
      await body.dump();
      const target = redirectTarget(url, status, received['location']);
      if (!(target instanceof URL)) {
        const why = target === 'none' ? `status ${status}` : 'an invalid redirect';
        throw configError(`Cannot get the OpenAPI document: ${place} returned ${why}.`);
      }
      url = target;
    }
    throw configError(`${place} redirects more than ${MAX_REDIRECTS} times.`);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AppError) throw error;
    const reason = limits[0]?.aborted === true ? `no response within ${timeoutMs} ms` : messageOf(error);
    throw configError(`Cannot get the OpenAPI document ${place}: ${reason}.`, error);
  } finally {
    await Promise.all([agents.own.destroy(), agents.other.destroy()]);
  }
}

export const USER_AGENT = `mcp-manager/${process.env['ENCODERFILE_VERSION'] ?? '0.0.0'}`;

/** An HTTP client that never connects to instance metadata, and to private addresses only if they are allowed. */
const agentFor = (allowsPrivate: boolean): Agent => new Agent({ connect: guardedConnect({ allowsPrivate }) });

function validatorsOf({
  etag,
  'last-modified': modified,
}: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  if (typeof etag === 'string') return { 'if-none-match': etag };
  return typeof modified === 'string' ? { 'if-modified-since': modified } : {};
}
