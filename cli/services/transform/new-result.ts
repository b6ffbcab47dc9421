import { basename } from 'node:path';
import type { ModelType } from '#contract/model-types.ts';
import { alignColumns, shownPath } from '../text.ts';

/** The files that were written. */
export interface TransformNewResult {
  readonly file: string;
  readonly modelType: ModelType;
  /** The stub file for editors, if requested. */
  readonly stubs: string | undefined;
}

export function transformNewSummary({ file, modelType, stubs }: TransformNewResult): string {
  return alignColumns([
    ['Wrote', `${shownPath(file)}, for models of type ${modelType}`],
    ...(stubs === undefined ? [] : [['Stubs', `${shownPath(stubs)}: type stubs for lua-language-server`]]),
    ['Config', `transform: {path: ${JSON.stringify(`./${basename(file)}`)}} (relative to the config file)`],
    ['Next', 'encoderfile transform test -f encoderfile.yml "some text"'],
  ]);
}
