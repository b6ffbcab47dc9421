import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Handler } from 'hono';
import { type Coding, preferredCoding } from '../compress-responses.ts';

/** Pages load nothing from other origins, run no inline code, and only send requests to their own server. */
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

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** Every file is compressed at most once, so the levels are higher than those for other responses. */
const COMPRESSORS: Readonly<Record<Coding, (text: string) => Uint8Array>> = {
  gzip: (text) => gzipSync(text, { level: 9 }),
  br: (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  zstd: (text) => zstdCompressSync(text),
};

/** Serves a file of a page, compressed for clients that accept it. */
export function servePageFile(file: string, text: string): Handler {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const headers = {
    'Content-Type': TYPES[extname(file)] ?? 'text/plain; charset=utf-8',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // Another program may use this port later: browsers keep a copy, but revalidate it.
    'Cache-Control': 'no-cache',
  };
  // Compressed on demand, because a program without visitors needs no pages.
  const compressed = new Map<Coding, Uint8Array<ArrayBuffer>>();
  const compress = (coding: Coding): Uint8Array<ArrayBuffer> => {
    const bytes = compressed.get(coding) ?? Uint8Array.from(COMPRESSORS[coding](text));
    compressed.set(coding, bytes);
    return bytes;
  };
  return (context) => {
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
      : context.body(compress(coding), 200, { ...headers, ETag: `W/${tag}`, 'Content-Encoding': coding });
  };
}
