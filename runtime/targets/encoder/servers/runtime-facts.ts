import { isSea } from 'node:sea';
import { inspect } from '../../../core/inspection.ts';
import { openFileSource } from '../../../platform/file-source.ts';
import type { EncoderContext } from '../context.ts';

/** What the executable is made of. From source there is only Node to tell of. */
export function runtimeFacts(modelPath: string): EncoderContext['runtime'] {
  const unknown = 'from source';
  if (!isSea()) {
    return {
      version: unknown,
      node: process.versions.node,
      onnxruntime: unknown,
      tokenizers: unknown,
      platform: `${process.platform}-${process.arch}`,
    };
  }
  const source = openFileSource(modelPath);
  try {
    return { onnxruntime: unknown, tokenizers: unknown, ...inspect(source).runtime };
  } finally {
    source.close();
  }
}
