import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { alignUp, SECTION_ALIGNMENT } from '#contract/container/sections.ts';
import { mapExternalData } from './external-data.ts';

interface GraphFiles {
  readonly graphPath: string;
  readonly weightsPath: string;
}

/** Appends the weights of a graph to those of another one, and changes the graph to read them there. */
export async function appendWeights(
  weightsPath: string,
  { graphPath, weightsPath: added }: GraphFiles,
): Promise<void> {
  const { size } = await stat(weightsPath);
  // Weights are mapped into memory, so they start where a mapping can start.
  const start = alignUp(size, SECTION_ALIGNMENT);
  await appendFile(weightsPath, Buffer.alloc(start - size));
  await pipeline(createReadStream(added), createWriteStream(weightsPath, { flags: 'a' }));
  const graph = mapExternalData(await readFile(graphPath), (data) => ({
    ...data,
    offset: start + data.offset,
  }));
  await writeFile(graphPath, graph);
}
