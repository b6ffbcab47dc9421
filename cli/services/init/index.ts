import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { ModelType } from '../../../runtime/contract/model-types.ts';
import { createFolders } from '../../../runtime/platform/files/create-folders.ts';
import { refuseInput } from '../../../runtime/platform/files/refuse-input.ts';
import { writeText } from '../../../runtime/platform/files/write-text.ts';
import { readOwnText } from '../../adapters/own-files.ts';
import { documentPaths } from '../../packaging/model/model-documents.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { parseConfig } from '../../config/load.ts';
import { renderConfig } from '../../config/render-template.ts';
import { refuseToReplace } from '../refuse-to-replace.ts';
import { inspectModelFolder } from './inspect-model-folder.ts';
import type { InitResult } from './result.ts';

export interface InitRequest {
  readonly folder: string;
  readonly outputPath: string;
  readonly name: string | undefined;
  readonly modelType: ModelType | undefined;
  readonly overwrite: boolean;
}

/** `encoderfile init`: writes a commented config file for the model in a folder. */
export async function init(request: InitRequest, report: Reporter): Promise<InitResult> {
  const { outputPath } = request;
  const folder = resolve(request.folder);
  const output = resolve(outputPath);
  const look = await inspectModelFolder(folder, request.folder);
  const read = [
    ...[...look.files.map(({ name }) => name), ...look.variants.map(({ path }) => path)].map((name) =>
      join(folder, name),
    ),
    ...(await documentPaths(folder)),
  ];
  const inputs = read.map((path) => ({ path, role: 'a file of the model' }));
  refuseInput(output, inputs, outputPath);
  await refuseToReplace(output, outputPath, request.overwrite);

  const { guess, graph, variants } = look;
  const values = {
    name: request.name ?? guess.name,
    modelType: request.modelType ?? guess.modelType,
    path: relativePath(dirname(output), folder),
    // Without it, a build refuses to choose among several graphs if none is model.onnx.
    variant: variants.length > 1 && graph?.name !== 'model' ? graph?.name : undefined,
    license: look.license,
  };
  const text = renderConfig(readOwnText('templates/encoderfile.yml'), values);
  // A name from the command line must satisfy the rules of the config file.
  parseConfig(text, outputPath, process.env);
  createFolders(dirname(output), 0o777);
  await writeText(output, text);
  for (const problem of look.problems) report.warn(problem);
  for (const problem of look.documentProblems) report.warn(problem);
  const { architecture, labels, files } = look;
  return {
    ...values,
    file: output,
    folder,
    guessed: !request.modelType,
    architecture,
    labels,
    files,
    variants,
    graph,
  };
}

/** A relative path with slashes on every system and a leading dot, so that it is recognizable as a path. */
function relativePath(from: string, to: string): string {
  const path = relative(from, to);
  if (isAbsolute(path)) return path;
  const parts = path.split(/[/\\]/).filter((part) => part !== '');
  return parts[0] === '..' ? join(...parts).replaceAll('\\', '/') : ['.', ...parts].join('/');
}
