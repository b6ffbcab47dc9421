-- Turns the model output for a text into scores.
--
-- Postprocess is called once for each text. `logits` has the shape [1, labels]: one number per label; higher means more likely.
-- Return either
--   * a tensor of the same shape: the scores. The label with the highest score is predicted.
--   * a tensor of shape [1]: the index of the predicted label, from 0. Scores are then those without a transform.
-- Responses also contain the raw logits.

---@param logits Tensor
---@return Tensor
function Postprocess(logits)
  -- Axes count from 1, so axis 2 contains the labels. Softmax returns probabilities that add up to 1.
  return logits:softmax(2)

  -- Flatter probabilities, for an overconfident model:
  -- return (logits / 1.5):softmax(2)

  -- Independent probabilities, for models with one label or with several labels per text:
  -- return logits:sigmoid()

  -- Only the label, without custom scores:
  -- return logits:argmax(2)
end

-- Test it:  encoderfile transform test -f encoderfile.yml "some text"
-- Tensor operations, limits and more examples: docs/transforms.md
