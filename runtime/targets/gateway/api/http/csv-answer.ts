import type { Context } from 'hono';
import { textBody } from './text-body.ts';

/** Answers with lines of CSV, which are read while they are sent. */
export const csvAnswer = (c: Context, lines: AsyncIterable<string>, filename: string): Response =>
  c.body(textBody(lines), 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${filename}"`,
  });
