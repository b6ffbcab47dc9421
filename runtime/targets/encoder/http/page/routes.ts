import { createHash } from 'node:crypto';
import { Hono, type Handler } from 'hono';
import { PAGE_FILES, type PageFile, pageFileType, readPageFile } from './files.ts';

/** The pages load nothing from elsewhere, run no inline code and send nothing but calls to their own server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page to try the model at `/`, the one to read the API at `/docs`, and what both are made of. */
export function pageRoutes(): Hono {
  const routes = new Hono();
  routes.get('/', serve('index.html'));
  routes.get('/docs', serve('docs.html'));
  for (const file of PAGE_FILES) {
    if (!file.endsWith('.html')) routes.get(`/assets/${file}`, serve(file));
  }
  return routes;
}

function serve(file: PageFile): Handler {
  const text = readPageFile(file);
  const headers = {
    'Content-Type': pageFileType(file),
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // Another model may answer on this port tomorrow: browsers keep a copy, and ask whether it still holds.
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
