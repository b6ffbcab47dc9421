import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../measure/child.ts';

export interface PreparedModel {
  /** A folder with all files that any of the contestants reads. */
  readonly folder: string;
  readonly fp32: string;
  readonly int8: string;
  /** The graph quantized for OpenVINO. */
  readonly openvinoInt8: string;
}

/**
 * Creates a model folder for all contestants, with the graph quantized by ONNX Runtime and by OpenVINO
 * next to the original one. `texts` are used for calibration.
 */
export async function prepareModel(
  source: string,
  folder: string,
  python: string,
  texts: readonly string[],
): Promise<PreparedModel> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'onnx'), { recursive: true });
  for (const name of ['tokenizer.json', 'config.json', 'tokenizer_config.json'])
    if (existsSync(join(source, name))) await copyFile(join(source, name), join(folder, name));
  await symlink(join(source, 'model.onnx'), join(folder, 'model.onnx'));
  await symlink(join(source, 'model.onnx'), join(folder, 'onnx/model.onnx'));
  await write(join(folder, 'tokenizer_config.json'), { model_max_length: 512, pad_token: '[PAD]' });
  await write(join(folder, 'special_tokens_map.json'), {
    cls_token: '[CLS]',
    mask_token: '[MASK]',
    pad_token: '[PAD]',
    sep_token: '[SEP]',
    unk_token: '[UNK]',
  });
  const script = join(import.meta.dirname, 'quantize.py');
  const paths = [join(folder, 'model.onnx'), join(folder, 'model-int8.onnx')];
  await runProgram({ command: python, args: [script, ...paths] });
  const calibration = join(folder, 'texts.txt');
  await writeFile(calibration, texts.slice(0, CALIBRATION_TEXTS).join('\n'));
  const openvino = join(import.meta.dirname, 'quantize_openvino.py');
  const openvinoInt8 = 'model-openvino-int8.xml';
  const args = [openvino, folder, 'model.onnx', calibration, join(folder, openvinoInt8)];
  await runProgram({ command: python, args });
  return { folder, fp32: 'model.onnx', int8: 'model-int8.onnx', openvinoInt8 };
}

/** NNCF's default number of samples. */
const CALIBRATION_TEXTS = 300;

async function write(path: string, content: object): Promise<void> {
  if (!existsSync(path)) await writeFile(path, `${JSON.stringify(content, undefined, 2)}\n`);
}
