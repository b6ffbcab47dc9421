/** A value that the pickle of a state dict can have. Tensors and storages are made by the caller of `unpickle`. */
export type PickleValue =
  | null
  | boolean
  | number
  | string
  | PickleTuple
  | PickleDict
  | PickleGlobal
  | PickleObject;

export class PickleTuple {
  readonly items: readonly PickleValue[];

  constructor(items: readonly PickleValue[]) {
    this.items = items;
  }
}

export class PickleDict {
  readonly entries = new Map<string, PickleValue>();
}

/** The name of a class or function of Python, which is never imported. */
export class PickleGlobal {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value with a meaning for the caller of `unpickle` only. */
export class PickleObject {
  readonly content: object;

  constructor(content: object) {
    this.content = content;
  }
}

/** Why a pickle is not read: the second half of a sentence about its file. */
export class PickleError extends Error {}
