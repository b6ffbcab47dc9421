/**
 * Response headers of the protocol and of this server: web pages from other origins cannot read headers that
 * are not listed.
 */
export const TUS_RESPONSE_HEADERS = [
  'Location',
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Expires',
  'Upload-Dataset',
] as const;
