import { type PageFiles, pageFiles } from '#serve/http/pages/page-files.ts';

/** The files of a page, by its folder in `runtime/`, as served by the program. */
export const pageFilesOf = (room: string): PageFiles =>
  pageFiles(room, new URL(`../../runtime/${room}/browser/`, import.meta.url));
