import { readFile } from 'node:fs/promises';
import { configError, messageOf } from '../../../runtime/contract/errors.ts';

/** A JSON file that must hold an object. */
export async function readJson<T>(path: string): Promise<T> {
  const text = await readFile(path, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw configError(`${path} is not valid JSON: ${messageOf(error)}.`, error);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T;
  throw configError(`${path} must hold a JSON object.`);
}
