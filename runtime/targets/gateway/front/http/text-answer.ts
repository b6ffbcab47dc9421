import type { Context } from 'hono';
import { textBody } from './text-body.ts';

export interface TextAnswer {
  readonly mediaType: string;
  readonly filename: string;
}

export function textAnswer(
  c: Context,
  pieces: AsyncGenerator<string, void>,
  { mediaType, filename }: TextAnswer,
): Response {
  return c.body(textBody(pieces), 200, {
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${filename.replaceAll(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(filename)}`,
  });
}
