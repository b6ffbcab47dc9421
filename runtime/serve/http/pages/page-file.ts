import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { Handler } from 'hono';

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

/** Serves a file of a page. */
export function servePageFile(file: string, text: string): Handler {
  const headers = {
    'Content-Type': TYPES[extname(file)] ?? 'text/plain; charset=utf-8',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // Another program may use this port later: browsers keep a copy, but revalidate it.
    'Cache-Control': 'no-cache',
    ETag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
  };
  return (context) => {
    const known = context.req.header('If-None-Match')?.split(/\s*,\s*/) ?? [];
    return known.includes(headers.ETag) || known.includes(`W/${headers.ETag}`)
      ? context.body(null, 304, headers)
      : context.body(text, 200, headers);
  };
}
