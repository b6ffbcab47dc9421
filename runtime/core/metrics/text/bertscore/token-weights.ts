/**
 * How rare tokens are: the weight of a token is `log((texts + 1) / (texts with it + 1))`, as bert_score has it with `idf=True`. The
 * texts are all references.
 */
export function tokenWeights(references: Iterable<Iterable<string>>): (token: string) => number {
  const textsWith = new Map<string, number>();
  let texts = 0;
  for (const tokens of references) {
    texts += 1;
    for (const token of new Set(tokens)) textsWith.set(token, (textsWith.get(token) ?? 0) + 1);
  }
  return (token) => Math.log((texts + 1) / ((textsWith.get(token) ?? 0) + 1));
}
