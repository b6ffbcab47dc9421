import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * Measured with the ONNX Runtime library (46 MB): level 9 produces 15.2 MB in 1.5 s, level 19
 * produces 13.5 MB in 28 s.
 */
const LEVEL = 9;

export async function zstd(bytes: Uint8Array): Promise<Uint8Array> {
  return await compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

export async function unzstd(bytes: Uint8Array): Promise<Uint8Array> {
  return await decompress(bytes);
}
