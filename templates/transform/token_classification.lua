-- Turns the model output for the tokens of a text into scores.
--
-- Postprocess is called once for each text. `logits` has the shape [1, tokens, labels]: for each token, including special tokens
-- such as [CLS], one number per label; higher means more likely. Return either
--   * a tensor of the same shape: the scores. The label with the highest score of a token is predicted.
--   * a tensor of shape [1, tokens]: the indexes of the predicted labels, from 0. Scores are then softmax(logits).
-- Responses also contain the raw logits.

---@param logits Tensor
---@return Tensor
function Postprocess(logits)
  -- Axes count from 1, so axis 3 contains the labels. Softmax returns probabilities for each token.
  return logits:softmax(3)

  -- Only the labels, without custom scores:
  -- return logits:argmax(3)
end

-- Test it:  encoderfile transform test -f encoderfile.yml "some text"
-- Tensor operations, limits and more examples: docs/transforms.md
