-- Turns what the model says about a text into the scores that callers get.
--
-- Postprocess is called once for each text. `logits` has the shape [1, labels]: a number for each label, the greater the likelier.
-- Return either
--   * a tensor of the same shape: the scores. The label with the greatest score is the predicted one.
--   * a tensor of shape [1]: the predicted label itself, as its index from 0. Scores are then those without a transform.
-- Callers always get the raw logits too.

---@param logits Tensor
---@return Tensor
function Postprocess(logits)
  -- Axes count from 1, so 2 are the labels. Softmax makes probabilities, of which one label takes what others lose.
  return logits:softmax(2)

  -- Flatter probabilities, for a model that is too sure of itself:
  -- return (logits / 1.5):softmax(2)

  -- A probability for each label by itself, for models with one label or with several labels per text:
  -- return logits:sigmoid()

  -- Only the label, without scores of our own:
  -- return logits:argmax(2)
end

-- Try it:  encoderfile transform test -f encoderfile.yml "some text"
-- What tensors can do, limits and more examples: docs/transforms.md
