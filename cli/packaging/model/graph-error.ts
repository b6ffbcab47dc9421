import { configError } from '#contract/errors.ts';
import { explainLoad, withoutPlaces } from '../onnx/explain-load.ts';
import { firstLine } from './first-line.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** The error for a graph that cannot be loaded or run. One that the build has written from safetensors can only have wrong sizes. */
export function graphError(
  { file, graph }: { readonly file: string; readonly graph: string },
  problem: string,
  error: unknown,
): Error {
  const reason = firstLine(error);
  if (graph === file) return configError(`${problem}: ${explainLoad(reason)}`, error);
  const sizes = trimEndOf(withoutPlaces(reason), '. \t\r\n');
  return configError(
    `${file} does not fit config.json: ${sizes}. Both must come from the same model; copy or download them again.`,
    error,
  );
}
