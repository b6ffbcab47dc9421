import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The members of an OpenAPI document that a test states. */
export interface Document {
  readonly openapi?: string;
  readonly servers?: unknown;
  readonly paths: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

export const documentText = ({ openapi = '3.1.0', ...members }: Document): string =>
  JSON.stringify({ openapi, info: { title: 'Test', version: '1' }, ...members });

/** Creates a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-manager-openapi-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a document to a file in a temporary folder. Returns its path. */
export function writeDocument(document: Document): string {
  const path = join(temporaryFolder(), 'openapi.json');
  writeFileSync(path, documentText(document));
  return path;
}
