import { type OnStep, timeStep } from '#core/time/time-step.ts';
import { toPrettyJson } from '../json/json.ts';
import type { Output } from '#serve/cli/command.ts';
import type { Engine } from '../engine/engine.ts';
import { shownName } from '../engine/image-input.ts';
import type { Step } from '../engine/steps.ts';
import { TASKS } from '../tasks/index.ts';
import type { PrintOptions } from '../tasks/task.ts';
import { inputInText } from './input-in-text.ts';
import { inferOptions } from './print-options.ts';
import { countTruncated, truncationWarning } from './warn-truncated.ts';

/**
 * Runs the model on texts from the command line and writes one JSON document with all results. With
 * `listsInputs`, the document also contains the names of the images.
 */
export async function inferArguments(
  engine: Engine,
  texts: readonly string[],
  options: PrintOptions,
  { file, listsInputs = false }: { readonly file: string | undefined; readonly listsInputs?: boolean },
  output: Output,
  onStep?: OnStep<Step>,
): Promise<void> {
  const { manifest } = engine;
  const task = TASKS[manifest.modelType];
  const inputs = texts.map((text) => inputInText(text, manifest));
  const inferences = await engine.infer(inputs, inferOptions(task, options));
  await timeStep(onStep, 'results', async () => {
    const results = await Promise.all(
      inferences.map((inference, at) => task.printed(inference, engine, options, texts[at] ?? '')),
    );
    const json = `${toPrettyJson({
      ...(listsInputs ? { images: texts.map(shownName) } : {}),
      [task.printedAs]: results,
      metadata: null,
    })}\n`;
    const warning = truncationWarning(countTruncated(inferences), texts.length, manifest);
    if (warning !== '') output.err(warning);
    if (file === undefined) {
      output.out(json);
      return;
    }
    // Most runs only print their results, so the code for writing files is loaded on demand.
    const { writeText } = await import('#platform/files/write-text.ts');
    await writeText(file, json);
  });
}
