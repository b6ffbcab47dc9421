/** Adds the way out to the messages of ONNX Runtime for models that it cannot load, where there is one. */
export function explainLoad(message: string): string {
  const found = WAYS_OUT.find(([pattern]) => pattern.test(message));
  return found ? `${message.replace(/[.\s]*$/, '')}. ${found[1]}` : message;
}

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
    /opset .*is under development|only \*guarantees\* support for models stamped with official released/i,
    'The model is newer than ONNX Runtime. Export it with a lower opset.',
  ],
  [
    /Could not find an implementation for/,
    'ONNX Runtime has no such operator for the element type of this model on processors, as with bfloat16. Export it as float32 or float16.',
  ],
  [
    /External data path|external.*data.*(?:not exist|cannot be|fail|escapes)|GetExtDataFromTensorProto|open file .* failed/i,
    'Put the files with the weights into the folder of the model.',
  ],
];
