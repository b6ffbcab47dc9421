import { isObject } from '#core/json/is-object.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { FormFile } from '#serve/http/form.ts';
import { textOfBytes } from '../guardrails/input-parts.ts';
import type { ModelSet } from '../models/model-set.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';
import { pass } from './pass.ts';
import type { Policy, AdmittedRequest } from './policy.ts';

/**
 * Checks and masks a file that a provider stores. For a file that is not text, e.g. an image, only the name
 * is checked. A file that is not valid UTF-8 is sent unchanged, or as UTF-8 if something in it was masked.
 * Values are never restored in a file, because any request can use it.
 */
export async function screenFile(
  policy: Policy,
  request: AdmittedRequest,
  { file, purpose }: { readonly file: FormFile; readonly purpose: string | undefined },
  set: Pick<ModelSet, 'guardrails' | 'prompts'>,
): Promise<Passed<FormFile>> {
  if (!policy.applies(request, set)) return pass(file);
  const bytes = Buffer.concat(file.pieces);
  const decoded = textOfBytes(bytes);
  const text = decoded?.text;
  const lines = text === undefined ? undefined : linesOf(text);
  const body: Json = { purpose, filename: file.filename, input: lines ?? text ?? `[${bytes.length} bytes]` };
  const { content, prompt } = await policy.screen(request, { body, bytes }, set);
  prompt?.end('', undefined, undefined);
  const { filename: checked } = content.body;
  const filename = typeof checked === 'string' ? checked : file.filename;
  const input = textIn(content.body['input']);
  if (decoded === undefined || (!decoded.isExact && input === textIn(body['input'])))
    return derivedFrom(content, { ...file, filename });
  const sent = Buffer.from(input);
  return derivedFrom(content, { ...file, filename, pieces: [sent], bytes: sent.length });
}

/**
 * The objects in a JSON Lines file, whose texts are masked without the surrounding JSON; undefined for any
 * other file.
 */
function linesOf(text: string): readonly object[] | undefined {
  const values: object[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      const value = parseLossless(line);
      if (!isObject(value)) return undefined;
      values.push(value);
    } catch {
      return undefined;
    }
  }
  return values.length === 0 ? undefined : values;
}

const textIn = (input: unknown): string =>
  Array.isArray(input) ? input.map((value) => `${JSON.stringify(value)}\n`).join('') : String(input);
