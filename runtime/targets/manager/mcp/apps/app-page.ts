import type { ShapeOfParams } from '../../shapes/shape.ts';
import { APP_KEY } from './app-key.ts';
import { isAppUri } from './app-uri.ts';
import { RELAY_SCRIPT } from './relay-script.ts';

/** The type of app pages; other parameters can follow. */
const APP_TYPE = /^text\/html\s*;(?:[^,]*;)?\s*profile="?mcp-app"?\s*(?:;|$)/i;

/**
 * Returns the contents of a resource for clients of all servers. An app page is put into a frame of another page, which
 * passes on the app's messages: apps know their tools under the server's own names, and clients do not report which app
 * made a call. See `relay-script.ts`.
 */
export function contentsForClient(server: string, contents: ShapeOfParams): ShapeOfParams {
  const html = isAppUri(contents['uri']) ? appHtml(contents) : undefined;
  if (html === undefined) return contents;
  const { blob: _, ...others } = contents;
  return { ...others, text: pageAround(server, html) };
}

function appHtml({ mimeType, text, blob }: ShapeOfParams): string | undefined {
  if (typeof mimeType !== 'string' || !APP_TYPE.test(mimeType)) return undefined;
  if (typeof text === 'string') return text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString() : undefined;
}

const pageAround = (server: string, html: string): string => `<!doctype html>
<html><head><meta charset="utf-8">
<style>html,body{margin:0;height:100%;background:transparent}iframe{display:block;border:0;width:100%;height:100%}</style>
</head><body><script>(${RELAY_SCRIPT})(${inScript(server)}, ${inScript(APP_KEY)}, ${inScript(html)});</script></body></html>`;

/** Returns the JavaScript literal of a text. Without "<", it cannot end the script element. */
const inScript = (text: string): string => JSON.stringify(text).replaceAll('<', String.raw`\u003c`);
