import { isMainThread } from 'node:worker_threads';
import { itemAt } from '#core/values/item-at.ts';
import type { GpuLibraries } from '../native/gpu-libraries.ts';
import { loadAddon } from '../native/load-addon.ts';
import { preloadLibraries } from '../native/preload.ts';
import type { WordInput } from '#core/model/word-inputs.ts';

export type TensorData = Float32Array | BigInt64Array | Uint8Array;

/** A tensor in the format of the ONNX Runtime addon; the addon receives this class and accesses these fields. */
export class OnnxTensor {
  readonly type: string;
  readonly data: TensorData;
  readonly dims: readonly number[];
  readonly location = 'cpu';

  constructor(type: string, data: TensorData, dims: readonly number[]) {
    this.type = type;
    this.data = data;
    this.dims = dims;
  }
}

export interface SessionOptions {
  /** The graph; its weights are in a file in `weightsFolder`. */
  readonly graph: Uint8Array;
  readonly weightsFolder: string;
  readonly threads: number;
  /**
   * Whether to prepack weights for speed: worthwhile for many runs, but costs the time and memory
   * of copying the weights.
   */
  readonly prepack: boolean;
  /**
   * Whether matrix products are computed in bfloat16 if the CPU has instructions for it. ONNX Runtime
   * only does this on arm64.
   */
  readonly bfloat16: boolean;
  /**
   * Whether the graph has convolutions. Together with `prepack`, they and their weights then get the layout of memory that
   * is the fastest on this machine's CPU.
   */
  readonly hasConvolutions?: boolean | undefined;
  /** Default: the CPU. Operators that the GPU does not support run on the CPU. */
  readonly device?: 'cpu' | 'gpu' | undefined;
  /** The libraries of CUDA, which a GPU then uses instead of WebGPU. */
  readonly cuda?: Pick<GpuLibraries, 'needed' | 'optional' | 'folders'> | undefined;
}

export interface OnnxSession {
  /** Runs synchronously on the calling thread: call it from a worker thread. */
  run(feeds: Record<string, OnnxTensor>, output: string): OnnxTensor;
  /** Runs the model in the same way, but returns several outputs of the run. */
  runAll(feeds: Record<string, OnnxTensor>, outputs: readonly string[]): OnnxTensor[];
}

/**
 * Loaded and initialized ONNX Runtime. This takes half of a short start, so it begins before the
 * model is known.
 */
export type OnnxRuntime = OnnxruntimeAddon;

/**
 * Loads the ONNX Runtime addon directly, because onnxruntime-node's wrapper uses a computed path
 * that cannot be bundled.
 */
export function loadOnnxRuntime(addonPath: string): OnnxRuntime {
  if (!loaded) {
    // Without this variable, ONNX Runtime for Linux stores a device id and a usage record in the
    // home folder.
    process.env['ORT_DISABLE_TELEMETRY'] = '1';
    loaded = loadAddon(addonPath) as OnnxruntimeAddon;
    loaded.initOrtOnce(LOG_ERRORS_ONLY, OnnxTensor, isMainThread);
  }
  return loaded;
}

/** The addon keeps this state for all threads; initializing it twice in one thread aborts the process. */
let loaded: OnnxRuntime | undefined;

export interface OptimizeOptions {
  readonly model: string;
  readonly graph: string;
  readonly weights: string;
  /**
   * Whether operators that convert quantized weights stay in the graph instead of being replaced by
   * their larger results; undefined if the model has no such weights.
   */
  readonly integers: 'keep' | 'convert' | undefined;
}

/** Optimizes a model and writes it as a graph with its weights in a separate file next to it. */
export function optimizeModel(
  addon: OnnxRuntime,
  { model, graph, weights, integers }: OptimizeOptions,
): void {
  const session = new addon.InferenceSession();
  session.loadModel(model, {
    // 'extended' is portable; 'all' would choose memory layouts for this machine's CPU.
    graphOptimizationLevel: 'extended',
    optimizedModelFilePath: graph,
    logSeverityLevel: LOG_ERRORS_ONLY,
    extra: {
      // Larger results are computed in each run. Constants that are not weights are smaller than
      // this.
      ...(integers === 'keep'
        ? { optimization: { constant_folding_max_output_size_in_bytes: '65536' } }
        : {}),
      session: {
        // Otherwise DequantizeLinear is never computed in advance.
        ...(integers === 'convert' ? { disable_quant_qdq: '1' } : {}),
        // An integer matrix and its product become one operator, which by default also rounds the
        // other factor to integers.
        qdq_matmulnbits_accuracy_level: '1',
        // Larger blocks are faster; the default is 32.
        qdq_matmulnbits_block_size: '128',
        optimized_model_external_initializers_file_name: weights,
        optimized_model_external_initializers_min_size_in_bytes: '1024',
        // Prepacked weights only speed up runs, and this session runs nothing.
        disable_prepacking: '1',
      },
    },
  });
  session.dispose();
}

/** Opens a session whose weights are mapped from a file. */
export function openOnnxSession(addon: OnnxRuntime, options: SessionOptions): OnnxSession {
  const { graph } = options;
  const isOnGpu = options.device === 'gpu';
  if (isOnGpu && options.cuda) preloadLibraries(options.cuda);
  const arranges = options.prepack && options.hasConvolutions === true && !isOnGpu;
  const session = new addon.InferenceSession();
  session.loadModel(graph.buffer, graph.byteOffset, graph.byteLength, {
    ...(isOnGpu ? { executionProviders: [options.cuda ? 'cuda' : 'webgpu', 'cpu'] } : {}),
    // The graph was optimized for CPUs at build time, except for what depends on the machine. The optimizations for
    // GPUs make large batches up to twice as fast (docs/decisions/0140).
    graphOptimizationLevel: isOnGpu ? 'all' : arranges ? 'layout' : 'disabled',
    executionMode: 'sequential',
    // ONNX Runtime keeps one memory pattern per input shape, and texts have many shapes: memory
    // would grow with each new one.
    enableMemPattern: false,
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    logSeverityLevel: LOG_ERRORS_ONLY,
    extra: {
      session: {
        model_external_initializers_file_folder_path: options.weightsFolder,
        disable_prepacking: options.prepack ? '0' : '1',
        force_spinning_stop: '1',
      },
      // This level includes earlier ones, which would undo a change of the build (docs/decisions/0072).
      ...(arranges ? { optimization: { disable_specified_optimizers: 'SkipLayerNormFusion' } } : {}),
      mlas: { enable_gemm_fastmath_arm64_bfloat16: options.bfloat16 ? '1' : '0' },
    },
  });
  const runAll: OnnxSession['runAll'] = (feeds, outputs) => {
    const results = session.run(feeds, Object.fromEntries(outputs.map((name) => [name, null])), {});
    return outputs.map((name) => {
      const result = results[name];
      if (!result) throw new Error(`the model returned no output named ${name}`);
      return result;
    });
  };
  return { runAll, run: (feeds, output) => itemAt(runAll(feeds, [output]), 0) };
}

const LOG_ERRORS_ONLY = 3;

interface OnnxruntimeAddon {
  initOrtOnce(logLevel: number, tensor: typeof OnnxTensor, mainThread: boolean): void;
  readonly InferenceSession: new () => {
    loadModel(path: string, options: object): void;
    loadModel(buffer: ArrayBufferLike, offset: number, length: number, options: object): void;
    dispose(): void;
    run(feeds: object, fetches: object, options: object): Record<string, OnnxTensor>;
  };
}

/** An int64 tensor. */
export const integerTensor = (values: Int32Array, dims: readonly number[]): OnnxTensor =>
  new OnnxTensor('int64', widen(values), dims);

/** An int64 or boolean tensor. */
export const wordTensor = ({ values, dims }: WordInput): OnnxTensor =>
  values instanceof Int32Array ? integerTensor(values, dims) : new OnnxTensor('bool', values, dims);

/**
 * Writes int64 values through their low words, which is several times faster than creating a BigInt
 * for each.
 */
function widen(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const words = new Int32Array(wide.buffer);
  for (const [index, value] of values.entries()) words[index * 2] = value;
  return wide;
}
