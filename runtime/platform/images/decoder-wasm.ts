import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { zstdDecompressSync } from 'node:zlib';
import { dataAsset } from '#contract/native.ts';
import { isExecutable, isPackage, packageFile, seaAssets } from '../program-form.ts';

/** Code in WebAssembly that reads images, by the names of their assets: decoders of npm packages, and own code. */
export const DECODER_WASM = {
  'jpeg.wasm': '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  'webp.wasm': '@jsquash/webp/codec/dec/webp_dec.wasm',
  'pixels.wasm': './pixels/pixels.wasm',
} as const;
export type DecoderWasm = keyof typeof DECODER_WASM;

/** The path of a file when running from source. */
export const decoderWasmFile = (name: DecoderWasm): string =>
  createRequire(import.meta.url).resolve(DECODER_WASM[name]);

/** Reads a file from the executable or the npm package, or from its path when running from source. */
export function readDecoderWasm(name: DecoderWasm): Uint8Array<ArrayBuffer> {
  if (isExecutable())
    return new Uint8Array(zstdDecompressSync(new Uint8Array(seaAssets().getRawAsset(dataAsset(name)))));
  return new Uint8Array(readFileSync(isPackage() ? packageFile(name) : decoderWasmFile(name)));
}
