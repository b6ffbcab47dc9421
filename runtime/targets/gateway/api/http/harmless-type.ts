/** Content types that browsers show or save without running any code in them. */
const HARMLESS: ReadonlySet<string> = new Set([
  'application/json',
  'application/jsonl',
  'application/octet-stream',
  'application/vnd.apache.parquet',
  'application/x-ndjson',
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/opus',
  'audio/pcm',
  'audio/wav',
  'audio/webm',
  'audio/x-wav',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/csv',
  'text/event-stream',
  'text/markdown',
  'text/plain',
  'text/vtt',
]);
const UNKNOWN = 'application/octet-stream';

/**
 * The content type to send for bytes from a provider or user: the declared type if it is harmless,
 * otherwise a type that browsers save as a file.
 */
export function harmlessType(type: string): string {
  if (type === 'application/json') return type;
  const [essence = '', ...parameters] = type.toLowerCase().split(';', 4);
  const plain = essence.trim();
  if (!HARMLESS.has(plain)) return UNKNOWN;
  const isUtf8 = parameters.some((one) => /^charset="?utf-?8"?$/.test(one.trim()));
  return isUtf8 ? `${plain}; charset=utf-8` : plain;
}
