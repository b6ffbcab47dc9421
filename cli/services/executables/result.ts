import { basename } from 'node:path';
import { argumentWord } from '../text.ts';
import type { ExecutableRequest } from './provide.ts';

/** How to keep the executable that `try` built, and how to serve the model. */
export function keepHint(request: ExecutableRequest, path: string): string {
  const words = commandWords(request);
  return [
    '',
    `Keep it   encoderfile build ${words} -o ${argumentWord(basename(path))}`,
    `Serve it  encoderfile run ${words} --local`,
  ].join('\n');
}

function commandWords({ model, modelType, variant, quantize }: ExecutableRequest): string {
  const flags = { 'model-type': modelType, variant, quantize };
  return [
    argumentWord(model),
    ...Object.entries(flags).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, argumentWord(value)],
    ),
  ].join(' ');
}
