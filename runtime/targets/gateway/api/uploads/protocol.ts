/** Version of the protocol. @see https://tus.io/protocols/resumable-upload */
export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = 'creation,expiration,termination';

/** Response headers of the protocol, and of this server: web pages of other origins cannot read headers that are not listed. */
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
