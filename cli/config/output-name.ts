import { trimEndOf } from '#core/text/trim-text.ts';

/** The default file name of an executable. It is valid on all file systems, whatever the model's name is. */
export function defaultOutputName(name: string, exeSuffix: string): string {
  const suffix = `.encoder${exeSuffix}`;
  const stem = trim(name.normalize('NFC').replaceAll(NOT_ALLOWED, '-').replaceAll(/-{2,}/g, '-'));
  const usable = RESERVED.test(stem) ? `model-${stem}` : stem;
  return `${trim(cut(usable, MAX_BYTES - byteLength(suffix))) || 'model'}${suffix}`;
}

/** File systems allow 255 bytes; the rest is reserved for temporary names. */
const MAX_BYTES = 240;
/** Combining marks are kept, because they are part of letters in many scripts. */
const NOT_ALLOWED = /[^\p{L}\p{M}\p{Nd}._-]+/gu;
/** Windows opens the device regardless of the characters after the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A leading dot hides the file, a leading dash looks like a flag, and a combining mark needs a
 * preceding letter.
 */
const trim = (text: string): string => trimEndOf(text.replace(/^[.\-\p{M}]+/u, ''), '.-');

function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
