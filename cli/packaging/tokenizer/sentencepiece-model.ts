import { BinaryReader } from '@bufbuild/protobuf/wire';
import { configError, messageOf } from '#contract/errors.ts';

export const PIECE = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;
export const ALGORITHM = { unigram: 1, bpe: 2 } as const;

export interface Piece {
  readonly text: string;
  readonly score: number;
  /** The type of the piece, one of `PIECE`. */
  readonly type: number;
}

/** The parts of a sentencepiece model that are needed to create a tokenizer. */
export interface SentencePieceModel {
  readonly pieces: readonly Piece[];
  /** One of `ALGORITHM`, or an algorithm that tokenizer.json does not support. */
  readonly algorithm: number;
  readonly unknownId: number;
  readonly unknownPiece: string;
  /** Whether characters without a piece are split into UTF-8 bytes, which have pieces of their own. */
  readonly hasByteFallback: boolean;
  /** Compiled normalization rules; empty if the model normalizes nothing. */
  readonly normalizerRules: Uint8Array;
}

/** Reads a sentencepiece model, a protobuf message of type `ModelProto`. Unused fields are skipped. */
export function readSentencePieceModel(bytes: Uint8Array, path: string): SentencePieceModel {
  const model = parsed(bytes, path);
  if (model.pieces.length === 0) {
    throw configError(
      `${path} has no pieces, so it is not a sentencepiece model. Restore the original file.`,
    );
  }
  return model;
}

function parsed(bytes: Uint8Array, path: string): SentencePieceModel {
  try {
    return readModel(bytes);
  } catch (error) {
    throw configError(
      `${path} is not a complete sentencepiece model: ${messageOf(error)}. Restore the original file.`,
      error,
    );
  }
}

/** Reads one field of a message; returns false to skip an unknown field. */
type FieldReader = (field: number, reader: BinaryReader) => boolean;

// Keeps U+FEFF at the start of a string, because it is an ordinary piece here.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const text = (reader: BinaryReader): string => utf8.decode(reader.bytes());

function readModel(bytes: Uint8Array): SentencePieceModel {
  const pieces: Piece[] = [];
  let algorithm: number = ALGORITHM.unigram;
  let unknownId = 0;
  let unknownPiece = '<unk>';
  let hasByteFallback = false;
  let normalizerRules = new Uint8Array();
  readFields(bytes, (field, reader) => {
    if (field === 1) pieces.push(readPiece(reader.bytes()));
    else if (field === 2) {
      readFields(reader.bytes(), (setting, trainer) => {
        if (setting === 3) algorithm = trainer.int32();
        else if (setting === 35) hasByteFallback = trainer.bool();
        else if (setting === 40) unknownId = trainer.int32();
        else if (setting === 45) unknownPiece = text(trainer);
        else return false;
        return true;
      });
    } else if (field === 3) {
      readFields(reader.bytes(), (setting, normalizer) => {
        if (setting !== 2) return false;
        normalizerRules = new Uint8Array(normalizer.bytes());
        return true;
      });
    } else return false;
    return true;
  });
  return { pieces, algorithm, unknownId, unknownPiece, hasByteFallback, normalizerRules };
}

function readPiece(bytes: Uint8Array): Piece {
  let piece: string | undefined;
  let score = 0;
  let type: number = PIECE.normal;
  readFields(bytes, (field, reader) => {
    if (field === 1) piece = text(reader);
    else if (field === 2) score = reader.float();
    else if (field === 3) type = reader.int32();
    else return false;
    return true;
  });
  if (piece === undefined) throw new Error('a piece has no text');
  if (!Number.isFinite(score)) throw new Error(`the score of ${JSON.stringify(piece)} is not finite`);
  return { text: piece, score, type };
}

const WIRE_TYPES: ReadonlySet<number> = new Set([0, 1, 2, 5]);

function readFields(bytes: Uint8Array, read: FieldReader): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (!WIRE_TYPES.has(wireType)) throw new Error(`invalid wire type ${wireType}`);
    if (!read(field, reader)) reader.skip(wireType);
    if (reader.pos > reader.len) throw new Error('premature end');
  }
}
