/** By id: where it is promised, and the promise. */
export type Behaviors = Readonly<Record<string, { readonly source: string; readonly behavior: string }>>;
