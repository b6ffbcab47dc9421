import type { Json } from '../../shapes/chat.ts';
import type { DataUrl } from '../content.ts';
import { unsupported } from '../unsupported.ts';

const IMAGES: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

const DOCUMENTS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/** An image or a document as a block of Converse. Throws a NotImplementedError for other types. */
export function fileBlock({ mediaType, base64 }: DataUrl, name = 'document'): Json {
  const source = { bytes: base64 };
  const image = IMAGES[mediaType];
  if (image !== undefined) return { image: { format: image, source } };
  const format = DOCUMENTS[mediaType];
  if (format === undefined) throw unsupported(`files of type ${mediaType}`, 'Amazon Bedrock');
  return { document: { format, name: documentName(name), source } };
}

/** Names of documents have letters, digits, single spaces, hyphens and brackets only. */
function documentName(name: string): string {
  const allowed = name
    .replaceAll(/[^A-Za-z0-9\s\-()[\]]+/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return allowed.slice(0, 200) || 'document';
}
