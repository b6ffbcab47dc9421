import { readModelCard } from '#core/model/documents.ts';
import { inspect, type Inspection } from '#core/model/inspection.ts';
import { withFileSource } from '#platform/file-source.ts';

/** `encoderfile inspect`: shows the contents of a model executable or base runtime of any platform. */
export async function inspectFile(path: string): Promise<Inspection> {
  return await withFileSource(path, inspect);
}

/** `encoderfile inspect --card`: returns the model card of a model executable. */
export async function readCardOf(path: string): Promise<string> {
  return await withFileSource(path, readModelCard);
}
