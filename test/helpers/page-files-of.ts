import { type PageFiles, pageFiles } from '#serve/http/pages/page-files.ts';

/** The files of a page, by its room below `runtime/`, as the program that serves it has them. */
export const pageFilesOf = (room: string): PageFiles =>
  pageFiles(room, new URL(`../../runtime/${room}/browser/`, import.meta.url));
