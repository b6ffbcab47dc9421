import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { refuseInput } from '#platform/files/refuse-input.ts';
import { writeText } from '#platform/files/write-text.ts';
import { readOwnText } from '../../adapters/own-files.ts';
import { isHubReference, parseHubReference } from '../../config/hub-reference.ts';
import type { GraphVariant } from '../../packaging/model/graph-variants.ts';
import { documentPaths } from '../../packaging/model/model-documents.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { parseConfig } from '../../config/load.ts';
import { refuseGenerator } from '../../packaging/model/guess-model.ts';
import { renderConfig } from '../../config/render-template.ts';
import { refuseToReplace } from '../refuse-to-replace.ts';
import { fetchHubModel } from '../fetch-hub-model.ts';
import { inspectModelFolder } from './inspect-model-folder.ts';
import { proposeGraph } from './propose-graph.ts';
import type { InitResult } from './result.ts';

export interface InitRequest {
  readonly folder: string;
  readonly outputPath: string;
  readonly name: string | undefined;
  readonly modelType: ModelType | undefined;
  readonly overwrite: boolean;
  /** Whether a model from the hub must already be in the cache. */
  readonly offline: boolean;
}

/** `encoderfile init`: writes a commented config file for the model in a folder. */
export async function init(request: InitRequest, report: Reporter): Promise<InitResult> {
  const { outputPath } = request;
  const output = resolve(outputPath);
  const { folder, path, variants: known } = await findModel(request, dirname(output), report);
  const look = await inspectModelFolder(folder, request.folder, known);
  const [problem] = look.problems;
  // Fails now instead of writing a config with which builds would fail.
  if (problem !== undefined) throw configError(problem);
  if (request.modelType === undefined) refuseGenerator(look.guess, request.folder);
  const read = [
    ...[...look.files.map(({ name }) => name), ...look.variants.map(({ path }) => path)].map((name) =>
      join(folder, name),
    ),
    ...(await documentPaths(folder)),
  ];
  const inputs = read.map((path) => ({ path, role: 'a model file' }));
  refuseInput(output, inputs, outputPath);
  await refuseToReplace(output, outputPath, request.overwrite);

  const { guess, graph, variants } = look;
  const values = {
    name: request.name ?? guess.name,
    modelType: request.modelType ?? guess.modelType,
    path,
    // Proposes a `variant`: without it, builds fail if there are several graphs and none of them is
    // model.onnx.
    variant: variants.length > 1 && graph?.name !== 'model' ? graph?.name : undefined,
    license: look.license,
  };
  const text = renderConfig(readOwnText('templates/encoderfile.yml'), values);
  // Checks that a name from the command line is valid in the config file.
  parseConfig(text, outputPath, process.env);
  createFolders(dirname(output), 0o777);
  await writeText(output, text);
  if (request.modelType === undefined && look.guess.because === undefined) {
    report.warn(
      `The files in ${request.folder} do not specify the model type, so \`model_type\` is a guess. Correct it in ${outputPath} if necessary.`,
    );
  }
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

interface FoundModel {
  readonly folder: string;
  /** The folder or hub model, as the config file names it. */
  readonly path: string;
  /** Graphs that the config can use; undefined to use those in the folder. */
  readonly variants?: readonly GraphVariant[];
}

/** Finds the model folder; for a model on the hub, downloads it with the graph to propose. */
async function findModel(
  { folder: named, offline }: InitRequest,
  from: string,
  report: Reporter,
): Promise<FoundModel> {
  if (!isHubReference(named)) {
    const folder = resolve(named);
    return { folder, path: relativePath(from, folder) };
  }
  const { folder, variants } = await fetchHubModel(
    parseHubReference(named),
    { report, offline },
    proposeGraph,
  );
  return { folder, path: named, variants };
}

/**
 * Returns a relative path with slashes on every system, and with a leading dot, so that it is
 * recognized as a path.
 */
function relativePath(from: string, to: string): string {
  const path = relative(from, to);
  if (isAbsolute(path)) return path;
  const parts = path.split(/[/\\]/).filter((part) => part !== '');
  return parts[0] === '..' ? join(...parts).replaceAll('\\', '/') : ['.', ...parts].join('/');
}
