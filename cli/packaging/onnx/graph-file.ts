import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ModelProto, ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';

/**
 * A graph file. Modified copies are written to the same folder, so that they can refer to the same
 * weights.
 */
export class GraphFile {
  readonly path: string;
  readonly #bytes: Uint8Array;

  private constructor(path: string, bytes: Uint8Array) {
    this.path = path;
    this.#bytes = bytes;
  }

  static async read(path: string): Promise<GraphFile> {
    return new GraphFile(path, await readFile(path));
  }

  /** Returns the model in the file, which the caller is allowed to modify. */
  model(): ModelProto {
    return fromBinary(ModelProtoSchema, this.#bytes);
  }

  /** Writes a copy of the model that has been modified by `change`. */
  async write<Result>(
    name: string,
    change: (model: ModelProto) => Result,
  ): Promise<{ readonly path: string; readonly result: Result }> {
    const model = this.model();
    const result = change(model);
    const path = join(dirname(this.path), `${name}.onnx`);
    await GraphFile.save(path, model);
    return { path, result };
  }

  static async save(path: string, model: ModelProto): Promise<void> {
    await writeFile(path, toBinary(ModelProtoSchema, model));
  }
}
