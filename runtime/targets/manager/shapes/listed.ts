import { hint, listOfValid, objectOf } from './members.ts';
import { annotations, LISTED_HINTS } from './metadata.ts';
import type { Params, Shape } from './shape.ts';
import type { CompileProblem } from './schema-compiler.ts';
import { objectSchema, resultSchema } from './tool-schema.ts';
import { filledText, flag, isRecord, number, oneOf, text } from './values.ts';

const hintFlag = hint(flag);

export const toolShape = (problemOf: CompileProblem): Shape<Params> =>
  objectOf({
    name: filledText,
    ...LISTED_HINTS,
    inputSchema: objectSchema,
    outputSchema: hint(resultSchema(problemOf)),
    annotations: hint(
      objectOf({
        title: hint(text),
        readOnlyHint: hintFlag,
        destructiveHint: hintFlag,
        idempotentHint: hintFlag,
        openWorldHint: hintFlag,
      }),
    ),
    execution: hint(objectOf({ taskSupport: hint(oneOf('required', 'optional', 'forbidden')) })),
  });

const promptArgument = objectOf({
  name: text,
  title: hint(text),
  description: hint(text),
  required: hintFlag,
});

export const prompt: Shape<Params> = objectOf({
  name: filledText,
  ...LISTED_HINTS,
  arguments: hint(listOfValid(promptArgument)),
});

const resourceHints = { ...LISTED_HINTS, mimeType: hint(text), annotations: hint(annotations) };

const plainResource = objectOf({ uri: filledText, name: text, ...resourceHints, size: hint(number) });
export const resource: Shape<Params> = (value) => plainResource(namedBy('uri', value));

const plainTemplate = objectOf({ uriTemplate: filledText, name: text, ...resourceHints });
export const resourceTemplate: Shape<Params> = (value) => plainTemplate(namedBy('uriTemplate', value));

/** Adds the URI as the name of a resource that has no name. */
const namedBy = (key: string, value: unknown): unknown =>
  isRecord(value) && typeof value['name'] !== 'string' ? { ...value, name: value[key] } : value;
