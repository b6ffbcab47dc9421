import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Context, type Handler, Hono } from 'hono';
import { type Coding, preferredCoding } from '../compress-responses.ts';
import { PAGE_TYPES, type PageFiles, SHARED_FILES } from './page-files.ts';

export interface HtmlPage {
  /** Serves the HTML document. */
  readonly document: (c: Context) => Response;
  /** Routes for the page's other files. */
  readonly assets: Hono;
}

/** A page of a program. `edit` completes the text of its HTML document. */
export const createPage = (files: PageFiles, document: string, edit = (text: string) => text): HtmlPage => ({
  document: servePageFile(document, () => edit(files.read(document))),
  assets: assetRoutes(files),
});

/**
 * Routes of a program whose pages are at `/`: browsers get the document, and `forClients` handles
 * `/` for all other clients.
 */
export function pagesAtRoot(files: PageFiles, forClients: Handler): Hono {
  const routes = new Hono();
  const { document, assets } = createPage(files, 'index.html');
  routes.get('/', async (c, next) => {
    c.header('Vary', 'Accept', { append: true });
    return isNavigation(c) ? document(c) : await forClients(c, next);
  });
  routes.route('/', assets);
  return routes;
}

/** Whether a browser requests a document to display. Media types are case-insensitive. */
const isNavigation = (c: Context): boolean =>
  c.req.header('Accept')?.toLowerCase().includes('text/html') ?? false;

/** Routes for the files that all programs' pages share. */
export const sharedAssetRoutes = (): Hono => assetRoutes(SHARED_FILES);

/** Routes for the files that HTML documents load. */
function assetRoutes(files: PageFiles): Hono {
  const routes = new Hono();
  for (const name of files.names()) {
    if (extname(name) !== '.html')
      routes.get(
        `/assets/${name}`,
        servePageFile(name, () => files.read(name)),
      );
  }
  return routes;
}

/**
 * Pages do not load anything from other origins or run inline code, and they only send requests to
 * their own server.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'media-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Every file is compressed at most once, so the compression levels are higher than those for other
 * responses.
 */
const COMPRESSORS: Readonly<Record<Coding, (text: string) => Uint8Array>> = {
  gzip: (text) => gzipSync(text, { level: 9 }),
  br: (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  zstd: (text) => zstdCompressSync(text),
};

/**
 * Serves a file of a page, compressed for clients that accept it. The file is read on the first
 * request, because many programs run without anyone opening their pages.
 */
function servePageFile(name: string, read: () => string): (c: Context) => Response {
  let loaded: { readonly text: string; readonly tag: string } | undefined;
  const load = (): { readonly text: string; readonly tag: string } => {
    const text = read();
    return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
  };
  const headers = {
    'Content-Type': PAGE_TYPES[extname(name)] ?? 'text/plain; charset=utf-8',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // Another program may use this port later, so browsers cache the file but must revalidate it.
    'Cache-Control': 'no-cache',
  };
  const compressed = new Map<Coding, Uint8Array<ArrayBuffer>>();
  const compress = (coding: Coding, text: string): Uint8Array<ArrayBuffer> => {
    const bytes = compressed.get(coding) ?? Uint8Array.from(COMPRESSORS[coding](text));
    compressed.set(coding, bytes);
    return bytes;
  };
  return (context) => {
    const { text, tag } = (loaded ??= load());
    context.header('Vary', 'Accept-Encoding', { append: true });
    const known =
      context.req
        .header('If-None-Match')
        ?.split(',')
        .map((one) => one.trim()) ?? [];
    if (known.includes(tag) || known.includes(`W/${tag}`)) {
      return context.body(null, 304, { ...headers, ETag: tag });
    }
    const coding = preferredCoding(context.req.header('Accept-Encoding'));
    return coding === undefined
      ? context.body(text, 200, { ...headers, ETag: tag })
      : context.body(compress(coding, text), 200, {
          ...headers,
          ETag: `W/${tag}`,
          'Content-Encoding': coding,
        });
  };
}
