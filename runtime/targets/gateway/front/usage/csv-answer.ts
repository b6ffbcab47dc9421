import type { Context } from 'hono';
import { textBody } from '../http/text-body.ts';

export function csvAnswer(c: Context, lines: AsyncIterable<string>, file: string): Response {
  return c.body(textBody(lines), 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${file}"`,
  });
}
