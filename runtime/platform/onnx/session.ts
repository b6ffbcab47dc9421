import { isMainThread } from 'node:worker_threads';
import { loadAddon } from '../native/load-addon.ts';

export type TensorData = Float32Array | BigInt64Array;

/** A tensor as ONNX Runtime's addon reads and makes it; the addon is given this class and looks at these fields. */
export class Tensor {
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
  /** A graph whose weights lie outside it, in a file of `weightsFolder`. */
  readonly graph: Uint8Array;
  readonly weightsFolder: string;
  readonly threads: number;
  /** Re-pack weights for speed: worth it for many runs, costs a copy of the weights in time and memory. */
  readonly prepack: boolean;
}

export interface Session {
  /** Runs on the calling thread and returns when done: call it from a worker thread. */
  run(feeds: Record<string, Tensor>, output: string): Tensor;
}

/** ONNX Runtime, loaded and initialised: half of a short start, so it begins before the model is known. */
export type OnnxRuntime = OnnxruntimeAddon;

/**
 * Loads ONNX Runtime's addon itself, not onnxruntime-node's wrapper, because the wrapper finds the addon by a computed path
 * that cannot be bundled.
 */
export function loadOnnxRuntime(addonPath: string): OnnxRuntime {
  if (!loaded) {
    // ONNX Runtime for Linux keeps a device id and a record of use in the home folder unless told not to before it loads.
    process.env['ORT_DISABLE_TELEMETRY'] = '1';
    loaded = loadAddon(addonPath) as OnnxruntimeAddon;
    loaded.initOrtOnce(LOG_ERRORS_ONLY, Tensor, isMainThread);
  }
  return loaded;
}

/** The addon keeps such state itself, for every thread: initialising it twice in one aborts the process. */
let loaded: OnnxRuntime | undefined;

/** Opens a session on weights mapped from a file. */
export function openSession(addon: OnnxRuntime, options: SessionOptions): Session {
  const { graph } = options;
  const session = new addon.InferenceSession();
  session.loadModel(graph.buffer, graph.byteOffset, graph.byteLength, {
    // The graph was optimised when it was built.
    graphOptimizationLevel: 'disabled',
    executionMode: 'sequential',
    // A pattern is kept per input shape, and texts come in all shapes: memory would grow with each new one.
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
    },
  });
  return {
    run(feeds, output) {
      const result = session.run(feeds, { [output]: null }, {})[output];
      if (!result) throw new Error(`the model returned no output named ${output}`);
      return result;
    },
  };
}

const LOG_ERRORS_ONLY = 3;

interface OnnxruntimeAddon {
  initOrtOnce(logLevel: number, tensor: typeof Tensor, mainThread: boolean): void;
  readonly InferenceSession: new () => {
    loadModel(buffer: ArrayBufferLike, offset: number, length: number, options: object): void;
    run(feeds: object, fetches: object, options: object): Record<string, Tensor>;
  };
}
