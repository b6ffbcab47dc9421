import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isSea } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { readDataAsset } from '../data-asset.ts';

/** The decoders in WebAssembly, by the names of their assets, with their files in the npm packages. */
export const DECODER_WASM = {
  'jpeg.wasm': '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  'webp.wasm': '@jsquash/webp/codec/dec/webp_dec.wasm',
} as const;
export type DecoderWasm = keyof typeof DECODER_WASM;

/** Reads a decoder from the executable, or from node_modules when running from source. */
export function readDecoderWasm(name: DecoderWasm): Uint8Array<ArrayBuffer> {
  if (isSea()) return new Uint8Array(readDataAsset(name, pathToFileURL(name)));
  return new Uint8Array(readFileSync(createRequire(import.meta.url).resolve(DECODER_WASM[name])));
}
