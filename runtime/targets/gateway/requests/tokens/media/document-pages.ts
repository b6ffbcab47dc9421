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
  const objects = Math.round((text.match(/\/Type\s{0,100}\/Page\b/g) ?? []).length / share);
  // Objects can be compressed; then the first line of a linearized file or the root of the pages may be readable.
  return Math.max(objects, countIn(text)) || Math.ceil(bytes / BYTES_PER_PAGE);
}

/** The keys of the number of pages. */
const COUNT = { linear: /\/N\s{1,100}(\d{1,9})/, root: /\/Count\s{1,100}(\d{1,9})/ };
/** Length of a dictionary in which its end and the number are searched. */
const MAX_DICTIONARY = 1024;

/** The largest number of pages that a dictionary names; 0 if none does. */
function countIn(text: string): number {
  const counted = /\/(Linearized|Type\s{0,100}\/Pages)\b/g;
  let most = 0;
  for (let found = counted.exec(text); found !== null; found = counted.exec(text)) {
    const [dictionary = ''] = text.slice(counted.lastIndex, counted.lastIndex + MAX_DICTIONARY).split('>', 1);
    const [, pages = '0'] = (found[1] === 'Linearized' ? COUNT.linear : COUNT.root).exec(dictionary) ?? [];
    most = Math.max(most, Number(pages));
    counted.lastIndex += dictionary.length;
  }
  return most;
}
