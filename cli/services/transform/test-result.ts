import type { Manifest } from '#contract/manifest.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { describeShape } from '#core/tensor/shape.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import { nest, type NestedNumbers } from '#core/tensor/to-table.ts';
import type { ResultKind } from '#transform/check-result.ts';
import { describe } from '#core/yaml/describe.ts';
import { columns } from '../text.ts';
import { beforeAndAfter } from './before-and-after.ts';
import type { TestedText } from './tested-text.ts';

export interface TransformTestResult {
  readonly config: string;
  readonly manifest: Manifest;
  readonly texts: readonly TestedText[];
}

interface JsonTensor {
  readonly shape: readonly number[];
  readonly values: NestedNumbers;
}

/** The JSON result, with every number. */
export interface TransformTestJson {
  readonly config: string;
  readonly modelType: string;
  readonly id2label?: Readonly<Record<string, string>>;
  readonly texts: readonly {
    readonly text: string;
    readonly tokens: readonly string[];
    readonly input: JsonTensor & { readonly name: string };
    readonly mask?: JsonTensor;
    readonly output: JsonTensor & { readonly kind: ResultKind };
  }[];
}

export function transformTestJson({ config, manifest, texts }: TransformTestResult): TransformTestJson {
  const { modelType, id2label, output: name } = manifest;
  return {
    config,
    modelType,
    ...(id2label ? { id2label } : {}),
    texts: texts.map(({ text, tokens, input, mask, output }) => ({
      text,
      tokens,
      input: { name, ...jsonTensor(input) },
      ...(mask ? { mask: jsonTensor(mask) } : {}),
      output: { kind: output.kind, ...jsonTensor(output) },
    })),
  };
}

/** The result as text: shapes, and the first numbers of each token or label before and after the transform. */
export function transformTestText({ manifest, texts }: TransformTestResult): string {
  return texts
    .map((tested) => {
      const { text, tokens, input, mask, output } = tested;
      const maskShape = mask ? `, mask ${describeShape(mask.shape)}` : '';
      return [
        columns([
          ['Text', `${describe(text)}, ${tokens.length} tokens`],
          ['Input', `${manifest.output} ${describeShape(input.shape)}${maskShape}`],
          ['Output', `${output.kind} ${describeShape(output.shape)}`],
        ]),
        '',
        beforeAndAfter(tested, manifest.id2label),
      ].join('\n');
    })
    .join('\n\n\n');
}

const jsonTensor = (tensor: Tensor): JsonTensor => ({
  shape: tensor.shape,
  values: nest(tensor, shortestFloat32),
});
