-- Turns what the model says about the tokens of a text into the scores that callers get.
--
-- Postprocess is called once for each text. `logits` has the shape [1, tokens, labels]: for each token, also the special ones such
-- as [CLS], a number for each label, the greater the likelier. Return either
--   * a tensor of the same shape: the scores. The label with the greatest score is the predicted one of its token.
--   * a tensor of shape [1, tokens]: the predicted labels themselves, as indices from 0. Scores are then softmax(logits).
-- Callers always get the raw logits too.

---@param logits Tensor
---@return Tensor
function Postprocess(logits)
  -- Axes count from 1, so 3 are the labels. Softmax makes probabilities of them, for each token by itself.
  return logits:softmax(3)

  -- Only the labels, without scores of our own:
  -- return logits:argmax(3)
end

-- Try it:  encoderfile transform test -f encoderfile.yml "some text"
-- What tensors can do, limits and more examples: docs/transforms.md
