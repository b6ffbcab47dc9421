import { trimEndOf } from '#core/text/trim-text.ts';
import { shortPattern } from '#core/text/short-pattern.ts';

/** Explains the messages of ONNX Runtime for models that it cannot load: without places in its source, and with the way out. */
export function explainLoad(message: string): string {
  const plain = withoutPlaces(message);
  const found = WAYS_OUT.find(([pattern]) => pattern.test(message));
  return found ? `${trimEndOf(plain, '. \t\r\n')}. ${found[1]}` : plain;
}

/** The message of ONNX Runtime without the path of the model and places in its source. */
export const withoutPlaces = (message: string): string =>
  SOURCE_PLACE.replaceAll(message.replace(/^Load model from .*? failed:\s*/, ''), '').replaceAll(
    /\p{Cc}/gu,
    '\uFFFD',
  );

/** Messages contain paths, names and shapes. */
const MAX_MESSAGE_LENGTH = 10_000;

/** File, line and function that raised an error. */
const SOURCE_PLACE = shortPattern(
  /\/\S*onnxruntime_src\/\S+:\d+ (?:.*?\)(?: const)? )?/g,
  MAX_MESSAGE_LENGTH,
);

const WAYS_OUT: readonly (readonly [pattern: RegExp, wayOut: string])[] = [
  [
    /is not a registered function\/op|No Op registered|No opset import/,
    'The model uses operators that ONNX Runtime does not contain. Export it with standard operators only.',
  ],
  [
    /unsupported model IR version|max supported IR version/i,
    'The file is newer than ONNX Runtime. Save it with a lower `ir_version`.',
  ],
  [
    /opset .{0,100}is under development|only \*guarantees\* support for models stamped with official released/i,
    'The model is newer than ONNX Runtime. Export it with a lower opset.',
  ],
  [
    /Could not find an implementation for/,
    'ONNX Runtime has no such operator for the element type of this model on processors, as with bfloat16. Export it as float32 or float16.',
  ],
  [
    /given file_length|out of bounds or can not be read in full/,
    'The file with the weights is incomplete. Copy it again.',
  ],
  [
    /External data path|external.{0,100}data.{0,100}(?:not exist|cannot be|fail|escapes)|GetExtDataFromTensorProto|open file .{0,1000} failed/i,
    'Put the files with the weights into the folder of the model.',
  ],
  [
    /Protobuf parsing failed|invalid model|type error|inference ?(?:error|failed)|\.cc:\d+/i,
    'The file is damaged, or its export was faulty. Copy or export it again.',
  ],
];
