/** Bytes of a page if a document does not contain their number. */
const BYTES_PER_PAGE = 50_000;
/** Bytes at both ends that are searched; between them, pages are counted by what was found. */
const SEARCHED = 1024 * 1024;

/** The number of pages of a PDF in base64, from its page objects, or from its catalog. */
export function documentPages(base64: string): number {
  const bytes = Math.ceil((base64.length * 3) / 4);
  // Base64 is cut at a multiple of four, so that each part can be decoded.
  const half = Math.floor(SEARCHED / 3) * 4;
  const parts =
    base64.length <= 2 * half
      ? [base64]
      : [base64.slice(0, half), base64.slice(-(half + (base64.length % 4)))];
  const text = parts.map((part) => Buffer.from(part, 'base64').toString('latin1')).join('\n');
  if (!text.startsWith('%PDF')) return Math.ceil(bytes / BYTES_PER_PAGE);
  const share = parts.length === 1 ? 1 : text.length / bytes;
  const objects = Math.round((text.match(/\/Type\s*\/Page\b/g) ?? []).length / share);
  // Objects can be compressed; then the first line of a linearized file or the root of the pages may be readable.
  const told = [...text.matchAll(/\/Linearized\b[^>]*\/N\s+(\d+)|\/Type\s*\/Pages\b[^>]*\/Count\s+(\d+)/g)];
  const counts = told.map(([, linear, root]) => Number(linear ?? root));
  return Math.max(objects, ...counts) || Math.ceil(bytes / BYTES_PER_PAGE);
}
