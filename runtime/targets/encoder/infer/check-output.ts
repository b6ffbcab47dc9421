import { findOutput } from '#platform/files/output-target.ts';
import { type InputFile, refuseInput, STDIN } from '#platform/files/refuse-input.ts';
import { partialFiles } from './resumable-output.ts';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createFolders } from '#platform/files/create-folders.ts';

/**
 * Rejects an output that cannot be written or that is one of the command's input files, before the
 * model is run.
 */
export function checkOutput(output: string, modelPath: string, input: string | undefined): void {
  const target = findOutput(output);
  if (target.kind === 'stream') return;
  const inputs = [
    { path: modelPath, role: 'the running executable' },
    ...(input === undefined ? [] : [inputOf(input)]),
  ];
  refuseInput(target.path, inputs, output);
  if (input === undefined) return;
  // Resumable output is first written to files in the same folder.
  for (const path of Object.values(partialFiles(target.path))) refuseInput(path, inputs);
}

/** Rejects an output that is one of the images to read. */
export function refuseImages(output: string, images: readonly string[]): void {
  const target = findOutput(output);
  if (target.kind === 'stream') return;
  refuseInput(
    target.path,
    images.map((path) => ({ path, role: 'one of the images' })),
    output,
  );
}

/** A file that the shell opens as stdin also counts as an input file. */
const inputOf = (input: string): InputFile =>
  input === '-' ? { path: STDIN, role: 'the file on stdin' } : { path: input, role: 'the --input file' };

/** Returns the file for `--out-dir`: the path itself, or a file named after the executable if the path is a folder. */
export function outputFile(path: string, modelPath: string, isLines: boolean): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder && !/[/\\]$/.test(path)) return path;
  if (!isFolder) createFolders(path, 0o777);
  const stem = basename(modelPath)
    .replace(/\.exe$/i, '')
    .replace(/\.encoder$/, '');
  return join(path, `${stem}.${isLines ? 'jsonl' : 'json'}`);
}
