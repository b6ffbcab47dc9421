import { readFile } from 'node:fs/promises';
import { getEachMessage, sendMessage } from 'execa';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf } from '../../runtime/contract/errors.ts';
import type {
  ModelSignature,
  OnnxAnswer,
  OnnxTask,
  OptimizeTask,
  TryResult,
  TryTask,
  ValueInfo,
} from './onnxruntime.ts';

// Entry file of the process that `onnxruntime.ts` starts: answers each task that it receives.

const LOG_ERRORS_ONLY = 3;

async function optimize({ model, graph, weights }: OptimizeTask): Promise<ModelSignature> {
  const session = await InferenceSession.create(model, {
    // 'extended' is portable; 'all' would choose layouts for the processor of this machine.
    graphOptimizationLevel: 'extended',
    optimizedModelFilePath: graph,
    logSeverityLevel: LOG_ERRORS_ONLY,
    extra: {
      session: {
        optimized_model_external_initializers_file_name: weights,
        optimized_model_external_initializers_min_size_in_bytes: '1024',
        // Prepacked weights only help runs, and this session runs nothing.
        disable_prepacking: '1',
      },
    },
  });
  const valueInfo = (values: typeof session.inputMetadata): ValueInfo[] =>
    values.map((value) =>
      value.isTensor
        ? { name: value.name, type: value.type, shape: [...value.shape] }
        : { name: value.name, type: 'not a tensor', shape: [] },
    );
  const signature = { inputs: valueInfo(session.inputMetadata), outputs: valueInfo(session.outputMetadata) };
  await session.release();
  return signature;
}

async function tryOut({ graph, folder, inputs, output, ids }: TryTask): Promise<TryResult> {
  const session = await InferenceSession.create(await readFile(graph), {
    graphOptimizationLevel: 'disabled',
    logSeverityLevel: LOG_ERRORS_ONLY,
    extra: { session: { model_external_initializers_file_folder_path: folder, disable_prepacking: '1' } },
  });
  const columns = Math.max(...ids.map((row) => row.length));
  const cells = (value: (row: readonly number[], column: number) => number): Tensor =>
    new Tensor(
      'int64',
      BigInt64Array.from(
        ids.flatMap((row) => Array.from({ length: columns }, (_, column) => BigInt(value(row, column)))),
      ),
      [ids.length, columns],
    );
  const feeds: Record<string, Tensor> = {
    input_ids: cells((row, column) => row[column] ?? 0),
    attention_mask: cells((row, column) => (column < row.length ? 1 : 0)),
    token_type_ids: cells(() => 0),
    position_ids: cells((_row, column) => column),
  };
  const wanted = Object.fromEntries(Object.entries(feeds).filter(([name]) => inputs.includes(name)));
  const result = (await session.run(wanted, [output]))[output];
  if (!result) throw new Error(`the model returned no output named ${output}`);
  return { type: result.type, dims: [...result.dims], data: result.data as Float32Array };
}

for await (const task of getEachMessage()) {
  await sendMessage(await answer(task as unknown as OnnxTask));
}

async function answer(task: OnnxTask): Promise<OnnxAnswer> {
  try {
    return { result: await (task.kind === 'optimize' ? optimize(task) : tryOut(task)) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
