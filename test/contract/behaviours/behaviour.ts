/** By id: where it is promised, and the promise. */
export type Behaviours = Readonly<Record<string, { readonly source: string; readonly behaviour: string }>>;
