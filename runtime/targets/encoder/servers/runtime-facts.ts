import { isSea } from 'node:sea';
import { inspect } from '#core/model/inspection.ts';
import { openFileSource } from '#platform/file-source.ts';
import type { EncoderContext } from '../context.ts';

/** Returns the versions of the components. When running from source, only the Node version is known. */
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
