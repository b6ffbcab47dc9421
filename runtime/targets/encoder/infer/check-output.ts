import { findOutput } from '../../../platform/files/output-target.ts';
import { refuseInput } from '../../../platform/files/refuse-input.ts';
import { partialFiles } from './resumable-output.ts';

/** Rejects, before any work, an output that cannot be written or that is a file the command reads. */
export function checkOutput(output: string, modelPath: string, input: string | undefined): void {
  const target = findOutput(output);
  if (target.kind === 'stream') return;
  const inputs = [
    { path: modelPath, role: 'the model that is running' },
    ...(input === undefined || input === '-' ? [] : [{ path: input, role: 'the input file of --input' }]),
  ];
  refuseInput(target.path, inputs, output);
  if (input === undefined) return;
  // A resumable output is first written to files next to it.
  for (const path of Object.values(partialFiles(target.path))) refuseInput(path, inputs);
}
