import { inspect, type Inspection } from '../../runtime/core/model/inspection.ts';
import { withFileSource } from '../../runtime/platform/file-source.ts';

/** `encoderfile inspect`: shows the contents of a model executable or base runtime of any platform. */
export async function inspectFile(path: string): Promise<Inspection> {
  return await withFileSource(path, inspect);
}
