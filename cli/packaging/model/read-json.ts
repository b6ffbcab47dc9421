import { readFile } from 'node:fs/promises';
import { configError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** Reads a JSON file that must contain an object. */
export async function readJsonObject<T>(path: string): Promise<T> {
  const value = await parse(path);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T;
  throw configError(`${path} must contain a JSON object.`);
}

/** Reads a JSON file that must contain a list. */
export async function readJsonList(path: string): Promise<unknown[]> {
  const value = await parse(path);
  if (Array.isArray(value)) return value;
  throw configError(`${path} must contain a JSON list.`);
}

async function parse(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8');
  try {
    return parseJsonText(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw configError(`${path} is not valid JSON: ${messageOf(error)}.`, error);
  }
}
