import { type Handler, Hono } from 'hono';
import { servePageFile } from './page-file.ts';

/** Files of a page, by path under its folder `browser/`. */
export interface PageFiles<File extends string> {
  readonly document: File;
  readonly files: readonly File[];
  readonly read: (file: File) => string;
}

export interface Page {
  /** Serves the document. */
  readonly document: Handler;
  /** Routes of the other files. */
  readonly assets: Hono;
}

/** A page of a program. `edit` completes the text of its document. */
export function createPage<File extends string>(
  { document, files, read }: PageFiles<File>,
  edit = (text: string) => text,
): Page {
  const others = files.filter((file) => file !== document);
  return { document: servePageFile(document, edit(read(document))), assets: assetRoutes(others, read) };
}

/** Routes of files that pages load. */
export function assetRoutes<File extends string>(files: readonly File[], read: (file: File) => string): Hono {
  const routes = new Hono();
  for (const file of files) routes.get(`/assets/${file}`, servePageFile(file, read(file)));
  return routes;
}
